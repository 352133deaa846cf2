// What axe-core finds wrong on every screen: node dev/axe.mjs ADDRESS
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  chromiumSandbox: false,
  args: ["--disable-gpu", "--enable-unsafe-swiftshader"],
});
for (const colorScheme of ["light", "dark"]) {
  for (const screen of ["", "#watch", "#help", "#beat"]) {
    const page = await browser.newPage({ colorScheme });
    await page.goto(`${process.argv[2]}/${screen}`);
    await page.waitForTimeout(6000);
    for (const more of await page.locator("summary").all()) await more.click();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    for (const { id, help, nodes } of violations)
      console.log(
        colorScheme,
        screen || "first",
        id,
        help,
        nodes.map((each) => each.html.slice(0, 120)),
      );
    console.log(colorScheme, screen || "first", violations.length);
    await page.close();
  }
}
await browser.close();
