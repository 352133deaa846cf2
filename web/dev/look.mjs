// Pictures of every screen, wide and narrow: node dev/look.mjs ADDRESS FOLDER [screen]
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, folder, only] = process.argv.slice(2);
const FLAGS = [
  "--disable-gpu",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];
const SCREENS = {
  first: async (page) => {
    await page.goto(address);
    await page.waitForTimeout(3000);
  },
  why: async (page) => {
    await page.goto(address);
    await page.getByText("Why?").click();
    await page.getByText("asks for help").first().waitFor();
    await page.waitForTimeout(2500);
  },
  watch: async (page) => {
    await page.goto(`${address}/#watch`);
    await page.waitForTimeout(4000);
    await page.getByText("Why?").click();
    await page.getByText("Let it look for something else").click();
    await page.getByPlaceholder("find a mug in the kitchen").fill("find a dresser in the bathhouse");
    await page.waitForTimeout(600);
  },
  watched: async (page) => {
    await page.goto(`${address}/#watch`);
    await page.getByRole("slider").waitFor();
    await page.getByRole("slider").press("End");
    await page.waitForTimeout(2500);
  },
  help: async (page) => {
    await page.goto(`${address}/#help`);
    const field = page.getByLabel("Tell it the way");
    await field.waitFor({ timeout: 30000 });
    await field.fill("turn right and wander two steps");
    await page.waitForTimeout(600);
  },
  whatif: async (page) => {
    await page.goto(`${address}/#help`);
    await page.getByRole("button", { name: "Say nothing" }).click({ timeout: 30000 });
    await page.getByRole("button", { name: "Say nothing" }).click({ timeout: 60000 });
    await page.getByRole("button", { name: "What if …?" }).first().click();
    await page.getByRole("button", { name: "… or nothing?" }).click();
    await page.waitForTimeout(9000);
  },
  beat: async (page) => {
    await page.goto(`${address}/#beat`);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.waitForTimeout(400);
    for (const key of ["ArrowRight", "ArrowRight", " ", "ArrowLeft"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(1300);
    }
  },
  beaten: async (page) => {
    await page.goto(`${address}/#beat`);
    await page.getByRole("button", { name: "Ask" }).waitFor();
    for (const key of ["ArrowRight", " ", "ArrowRight", " ", "s"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(1000);
    }
    await page.waitForTimeout(800);
  },
};

mkdirSync(folder, { recursive: true });
const browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "look-")), {
  executablePath: "/usr/bin/chromium",
  chromiumSandbox: false,
  args: FLAGS,
});
for (const [name, visit] of Object.entries(SCREENS)) {
  if (only && !only.split(",").includes(name)) continue;
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ]) {
    const page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && console.log(name, message.text()));
    page.on("pageerror", (error) => console.log(name, String(error)));
    await page.setViewportSize({ width, height });
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
