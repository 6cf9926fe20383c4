// `npm run pictures`: takes the pictures of docs/images that show the page as it is, on a system of its own.
import { join } from "node:path";
import { launchBrowser } from "../test/support/launch-browser.ts";
import { startSystem } from "../test/support/start-system.ts";

const IMAGES = join(import.meta.dirname, "..", "docs", "images");

const system = await startSystem();
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 840 }, colorScheme: "light" });
  await page.goto(`${system.url}/#token=${system.token}`);
  await page.locator("#status[data-state=open]").waitFor();
  const sayings = [
    "write a file notes.md with - buy tea",
    "run: cat notes.md && date -u +%A",
    "run: rm -rf /etc/talaria",
  ];
  for (const words of sayings) {
    await page.getByRole("textbox", { name: "Message" }).fill(words);
    await page.getByRole("button", { name: "Send" }).click();
    // a question, or the end of the turn
    const over = page.getByRole("button", { name: "Stop" });
    await page
      .getByRole("button", { name: /^(?:Allow|Once|Approve)/ })
      .or(over)
      .first()
      .waitFor();
    if (words !== sayings.at(-1)) await over.waitFor({ state: "hidden" });
  }
  await page.getByRole("button", { name: /deny/i }).first().waitFor();
  await page.screenshot({ path: join(IMAGES, "page.png") });
} finally {
  await browser.close();
  await system.stop();
}
