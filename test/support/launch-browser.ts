// A headless Chromium for browser tests: the bundled one where there is one for this machine, else the installed Chrome.
import { type Browser, chromium } from "playwright-core";

/** Launches a browser; close it when the tests are over. */
export async function launchBrowser(): Promise<Browser> {
  const isBundled = process.platform === "linux" && process.arch === "x64";
  if (!isBundled) return chromium.launch({ channel: "chrome" });
  // an optional dependency: no other system has to be able to install it
  const { default: bundled } = await import("@sparticuz/chromium");
  // of its own arguments only these: the rest switches web security off, and one process for all tabs dies with the first
  const args = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];
  return chromium.launch({ executablePath: await bundled.executablePath(), args, headless: true });
}
