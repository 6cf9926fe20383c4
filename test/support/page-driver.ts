// What a person does on the web page and reads there, in words of the page rather than of its markup.
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { System } from "./start-system.ts";

/** Milliseconds within which the page shows what the system does. */
const SHOWN_MS = 30_000;

export interface Visit {
  readonly browser: Browser;
  readonly system: System;
  /** Session that the page opens; each test has its own. */
  readonly session: string;
  readonly options?: Parameters<Browser["newContext"]>[0];
}

/** One person's browser with the page open in it. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Faults of the page's own script. */
  readonly faults: string[];
  /** Opens the same session in another tab. */
  readonly openTab: () => Promise<Page>;
}

export const webSession = (id: string): string => `main:web:dm:${id}`;

/** Opens the page with the token in the address, as the link that `npm start` prints does. */
export async function visit({ browser, system, session, options }: Visit): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    colorScheme: "light",
    ...options,
  });
  const faults: string[] = [];
  context.on("weberror", (fault) => faults.push(String(fault.error().stack)));
  const place = `session=${encodeURIComponent(session)}`;
  const page = await context.newPage();
  await page.goto(`${system.url}/#token=${system.token}&${place}`);
  await connected(page);
  const openTab = async (): Promise<Page> => {
    const tab = await context.newPage();
    await tab.goto(`${system.url}/#${place}`);
    await connected(tab);
    return tab;
  };
  return { context, page, faults, openTab };
}

/** Waits until the page talks to its session. */
export async function connected(page: Page): Promise<void> {
  await page.locator("#status[data-state=open]").waitFor({ timeout: SHOWN_MS });
}

/** Writes a message and sends it with the button. */
export async function say(page: Page, words: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(words);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Waits until some answer of the log holds these words. */
export async function answer(page: Page, words: string): Promise<Locator> {
  const found = page.locator("#log .assistant", { hasText: words }).last();
  await found.waitFor({ timeout: SHOWN_MS });
  return found;
}

/** Waits until no turn runs any more. */
export async function rested(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden", timeout: SHOWN_MS });
}

/** What the log says, message by message. */
export function transcript(page: Page): Promise<string[]> {
  return page.locator("#log .message .body").allInnerTexts();
}

/** The ratio of an element's text colour to the background that is painted behind it, as WCAG 2.2 defines it. */
export function contrast(target: Locator): Promise<number> {
  return target.evaluate((element) => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    if (pixel === null) throw new Error("no canvas");
    const luminance = (colours: readonly string[]): number => {
      for (const colour of colours) {
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
      }
      const [red = 0, green = 0, blue = 0] = Array.from(pixel.getImageData(0, 0, 1, 1).data, (level) => {
        const part = level / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const backgrounds: string[] = [];
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      backgrounds.unshift(getComputedStyle(at).backgroundColor);
    const behind = luminance(backgrounds);
    const text = luminance([...backgrounds, getComputedStyle(element).color]);
    return (Math.max(behind, text) + 0.05) / (Math.min(behind, text) + 0.05);
  });
}

/** Everything that can be operated, and by which name a screen reader calls it; an empty name is a fault. */
export async function namesOfControls(page: Page): Promise<string[]> {
  const snapshot = await page.locator("body").ariaSnapshot();
  const controls = snapshot.matchAll(/^\s*- (button|link|textbox|searchbox|checkbox)(?: "(.*?)")?/gm);
  return Array.from(controls, ([, role, name = ""]) => (name === "" ? `${role} without a name` : name));
}

/** Looks again until a page's answer is what it has to become. */
export function eventually<T>(look: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: SHOWN_MS, interval: 50 });
}
