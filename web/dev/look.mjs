// Pictures of every screen, wide and narrow: node dev/look.mjs ADDRESS FOLDER [screen,screen] [ADDRESS OF A STUDY]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, folder, only, study] = process.argv.slice(2);
const SIZES = [
  [1280, 800],
  [390, 844],
];
const FLAGS = [
  "--disable-gpu",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

const drawn = async (page) => {
  await page.locator(".view canvas").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".drawing"));
  await page.waitForTimeout(500);
};
const press = async (page, ...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(500);
  }
};
const button = (page, name) => page.getByRole("button", { name });
const open = async (page, at) => {
  await page.goto(`${address}/${at}`);
  await drawn(page);
};
const begin = async (page) => {
  await page.goto(study);
  await page.getByRole("checkbox").check();
  await button(page, "Begin").click();
};
const waiting = async (page) => {
  const field = page.getByLabel("Tell it the way");
  for (;;) {
    await page.locator(".timeline").waitFor();
    if (await field.isVisible()) return field;
    if (await page.locator(".ending").isVisible()) await press(page, "n");
    await page.getByRole("slider").press("End");
    await page.waitForTimeout(1500);
  }
};

const SCREENS = {
  first: async (page) => {
    await open(page, "");
    await button(page, "Pause").click();
    await page.getByRole("slider").fill("4");
    await press(page, ".", ".");
  },
  why: async (page) => {
    await SCREENS.first(page);
    await page.getByText("Why?").click();
  },
  watch: async (page) => {
    await open(page, "#watch");
    await button(page, "Pause").click();
    await page.getByRole("slider").fill("5");
    await page.getByText("Why?").click();
    await page.getByText("Let it look for something else").click();
    await page.getByPlaceholder("find a mug in the kitchen").fill("find a dresser in the bathhouse");
    await page.locator("mark").first().waitFor();
  },
  watched: async (page) => {
    await open(page, "#watch");
    await page.getByRole("slider").press("End");
    await page.locator(".ending").waitFor();
  },
  help: async (page) => {
    await open(page, "#help");
    await waiting(page);
  },
  understood: async (page) => {
    await SCREENS.help(page);
    await page.getByLabel("Tell it the way").fill("turn right, then moonwalk");
    await page.locator("mark").first().waitFor();
  },
  whatif: async (page) => {
    await SCREENS.help(page);
    await button(page, "Say what the advisor would").click();
    await button(page, "What if").first().click();
    await page.getByLabel("What if it had heard").fill("turn around, go forward");
    await button(page, "See").click();
    await page.locator(".half").first().waitFor();
    for (const slider of await page.getByRole("slider").all()) await slider.press("End");
    await page.locator(".verdict").first().waitFor();
    await drawn(page);
  },
  beat: async (page) => {
    await open(page, "#beat");
    if (await button(page, "Ask").isEnabled()) await button(page, "Ask").click();
    await press(page, "ArrowRight", "ArrowRight", " ", "ArrowRight");
    await drawn(page);
  },
  beaten: async (page) => {
    await open(page, "#beat");
    await press(page, "ArrowRight", " ", "ArrowRight", " ", "s");
    await page.locator(".ending").waitFor();
    await drawn(page);
  },
  keys: async (page) => {
    await open(page, "");
    await press(page, "?");
  },
  nowhere: async (page) => {
    await page.goto(`${address}/#w=nonsense`);
    await page.getByText("Watch another one").waitFor();
  },
  lost: async (page) => {
    await page.routeWebSocket("**/ws", (line) => {
      page.lose = () => line.close();
      line.connectToServer();
    });
    await open(page, "#beat");
    await page.context().setOffline(true);
    await page.lose();
    await page.getByText("The connection is lost").waitFor();
    await page.context().setOffline(false);
  },
  "study-consent": async (page) => {
    await page.goto(study);
    await page.getByRole("checkbox").waitFor();
  },
  "study-practice": async (page) => {
    await begin(page);
    await button(page, "Start").waitFor();
  },
  "study-task": async (page) => {
    await begin(page);
    await button(page, "Start").click();
    await drawn(page);
    await page.waitForTimeout(4000);
  },
  "study-code": async (page) => {
    await begin(page);
    await button(page, "Start").click();
    for (let i = 0; i < 200 && !(await page.locator(".code").isVisible()); i++) {
      for (const name of ["Start", "Go on", "Say nothing"])
        if (await button(page, name).isVisible())
          await button(page, name)
            .click({ timeout: 2000 })
            .catch(() => undefined); // gone already
      if (await button(page, "It is here").isVisible()) await press(page, "a", "s");
      if (await page.getByText("not for you").isVisible()) break;
      await page.waitForTimeout(300);
    }
  },
};

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", chromiumSandbox: false, args: FLAGS });
for (const [name, visit] of Object.entries(SCREENS)) {
  if (only && !only.split(",").includes(name)) continue;
  if (name.startsWith("study") && !study) continue;
  for (const [width, height] of SIZES) {
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce" });
    page.on("console", (message) => message.type() === "error" && console.log(name, message.text()));
    page.on("pageerror", (error) => console.log(name, String(error)));
    try {
      await visit(page);
    } catch (error) {
      console.log(name, width, String(error).split("\n")[0]);
    }
    await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true });
    await page.close();
  }
}
await browser.close();
