import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startFakeGateway } from "../support/fake-gateway.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { launchBrowser } from "../support/launch-browser.ts";
import {
  type Visitor,
  answer,
  connected,
  contrast,
  eventually,
  namesOfControls,
  rested,
  say,
  transcript,
  visit,
  webSession,
} from "../support/page-driver.ts";
import { type System, startSystem } from "../support/start-system.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe("the page on the whole system", () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(() => system.stop());

  /** Opens a session of the test's own; the script of the page must not have failed when the test is over. */
  async function come(session: string, options?: Parameters<Browser["newContext"]>[0]): Promise<Visitor> {
    const visitor = await visit({
      browser,
      system,
      session: webSession(session),
      ...(options === undefined ? {} : { options }),
    });
    onTestFinished(async () => {
      await visitor.context.close();
      expect(visitor.faults).toEqual([]);
    });
    return visitor;
  }

  it("asks for a token, refuses a wrong one and lets the right one in", async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(system.url);
    await page.getByRole("textbox", { name: "Token" }).fill("wrong");
    await page.getByRole("button", { name: "Come in" }).click();
    await page.getByText("That token is not the right one.").waitFor();
    await page.getByRole("textbox", { name: "Token" }).fill(system.token);
    await page.getByRole("button", { name: "Come in" }).click();
    await connected(page);
    expect(await page.locator("#door").isVisible()).toBe(false);
  });

  it("takes the token out of the address and keeps it for the next tab", async () => {
    const { page, openTab } = await come("address");
    expect(page.url()).not.toContain(system.token);
    await connected(await openTab());
  });

  it("tells a newcomer what to say, and puts it into the message field", async () => {
    const { page } = await come("newcomer");
    await page.getByRole("button", { name: "remember that I like tea" }).click();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("remember that I like tea");
  });

  it("shows an answer while it grows", async () => {
    const { page } = await come("growing");
    await say(page, "count slowly to 60");
    await eventually(() => page.locator("#live .body").innerText()).toMatch(/^1 2 3 4 5/);
    const early = await page.locator("#live .body").innerText();
    await eventually(() => page.locator("#live .body").innerText()).toContain(`${early} `);
    expect(early).not.toContain("60");
    await answer(page, "58 59 60");
  });

  it("folds a tool call and shows its arguments and result when it is unfolded", async () => {
    const { page } = await come("tool");
    await say(page, "run: echo folded");
    const call = page.locator("details.tool[data-state=done]");
    await call.waitFor();
    expect(await call.getByText("Result").isVisible()).toBe(false);
    await call.locator("summary").click();
    expect(await call.locator("pre").allInnerTexts()).toEqual([
      expect.stringContaining('"command": "echo folded"'),
      expect.stringContaining("folded"),
    ]);
  });

  it("finds everything again after a reload", async () => {
    const { page } = await come("reload");
    await say(page, "run: ls");
    await answer(page, "gave:");
    await rested(page);
    const before = await transcript(page);
    await page.reload();
    await answer(page, "gave:");
    expect(await transcript(page)).toEqual(before);
    expect(await page.locator("details.tool[data-state=done]").count()).toBe(1);
  });

  it("begins a new conversation, and shows the one before when it is asked to", async () => {
    const { page } = await come("epochs");
    await say(page, "old words");
    await answer(page, "old words");
    await say(page, "/new");
    await eventually(() => transcript(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Show earlier messages" }).click();
    await answer(page, "old words");
  });

  it("shows the same in a second tab while it happens", async () => {
    const { page, openTab } = await come("two-tabs");
    const tab = await openTab();
    await say(page, "count slowly to 60");
    await eventually(() => tab.locator("#live .body").innerText()).toMatch(/^1 2 3/);
    await answer(tab, "58 59 60");
    await answer(page, "58 59 60");
    expect(await transcript(tab)).toEqual(await transcript(page));
  });

  it("offers the choices of a question as buttons and sends the one that is pressed", async () => {
    const { page } = await come("question");
    await say(page, "ask me: which colour: red, green or blue");
    await page.getByRole("button", { name: "green" }).click();
    await answer(page, "green");
    await eventually(() => page.locator(".question").count()).toBe(0);
  });

  it("stops a running turn on Escape", async () => {
    const { page } = await come("stop");
    await say(page, "count slowly to 900");
    await eventually(() => page.locator("#live .body").innerText()).toContain("5");
    await page.keyboard.press("Escape");
    await rested(page);
    expect((await transcript(page)).join()).not.toContain("900 ");
  });

  it("renders markdown as elements and hostile markup as text", async () => {
    const { page } = await come("markdown");
    await say(
      page,
      "look:\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n```js\nlet x;\n```\n- [ok](https://example.com)\n- [bad](javascript:alert(1))\n\n<img src=x onerror=alert(1)>",
    );
    const found = await answer(page, "look:");
    expect(await found.locator("td strong").innerText()).toBe("2");
    expect(await found.locator(".code code").innerText()).toBe("let x;");
    expect(await found.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
      "https://example.com",
    ]);
    expect(await found.locator("img").count()).toBe(0);
    expect(await found.innerText()).toContain("<img src=x onerror=alert(1)>");
  });

  it("follows the system's colours until a person chooses, and keeps the choice", async () => {
    const { page } = await come("colours", { colorScheme: "dark" });
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await page.getByRole("button", { name: "Switch to light" }).click();
    const light = await paper();
    expect(light).not.toBe(dark);
    await page.reload();
    expect(await paper()).toBe(light);
    await page.getByRole("button", { name: "Switch to dark" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await paper()).toBe(light);
  });

  it("keeps its sessions in a drawer on a phone, and fits the screen", async () => {
    const { page } = await come("phone", PHONE);
    await say(page, "a-very-long-word".repeat(30));
    await answer(page, "You said");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(await page.getByRole("button", { name: "New chat" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Sessions" }).click();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("What shall we do?").waitFor();
    await eventually(() => page.getByRole("button", { name: "New chat" }).isVisible()).toBe(false);
  });

  it("is used with the keyboard alone", async () => {
    const { page } = await come("keyboard");
    await page.keyboard.type("run: echo one");
    await page.keyboard.press("Enter");
    await answer(page, "gave:");
    await rested(page);
    await page.keyboard.type("two");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("lines");
    await page.keyboard.press("Enter");
    await answer(page, "lines");
    const summary = page.locator("details.tool summary");
    await tabTo(page, "Shift+Tab", () => summary.evaluate((element) => element === document.activeElement));
    await page.keyboard.press("Enter");
    expect(await page.locator("details.tool").getAttribute("open")).not.toBeNull();
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("text");
    await page.keyboard.press("Control+k");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter");
  });

  it.each(["light", "dark"] as const)(
    "names every control, announces politely and is legible in the %s",
    async (colorScheme) => {
      const { page } = await come(`access-${colorScheme}`, { colorScheme });
      await say(page, "run: ls");
      await answer(page, "gave:");
      await rested(page);
      expect(await namesOfControls(page)).not.toContainEqual(expect.stringContaining("without a name"));
      expect(await page.getByRole("log", { name: "Conversation" }).getAttribute("aria-live")).toBe("polite");
      for (const landmark of ["navigation", "main"] as const) expect(await page.getByRole(landmark).count()).toBe(1);
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      const texts = [
        "#log .assistant .body p",
        "#log .user .body",
        ".tool summary strong",
        ".tool .gist",
        ".meta time",
        "#keys",
        "#about",
        "#sessions .where",
        "#text",
        ".code code",
      ];
      for (const text of texts) expect(await contrast(page.locator(text).first()), text).toBeGreaterThanOrEqual(4.5);
    },
  );
});

describe("the page on a stand-in that fails when it is told to", () => {
  let gateway: Awaited<ReturnType<typeof startFakeGateway>>;
  beforeAll(async () => {
    gateway = await startFakeGateway();
  });
  afterAll(() => gateway.stop());

  async function come(session: string): Promise<Page> {
    const { context, page } = await visit({ browser, system: gateway, session });
    onTestFinished(() => context.close());
    return page;
  }

  it("sends what a dying connection swallowed again, with the same id", async () => {
    const page = await come(webSession("swallowed"));
    gateway.loseNext();
    await say(page, "swallowed");
    await answer(page, "swallowed");
    await eventually(() => page.locator("#outbox .message").count()).toBe(0);
    const arrived = gateway.arrived.filter((text) => text.includes('"swallowed"'));
    expect(arrived).toHaveLength(2);
    expect(new Set(arrived).size).toBe(1);
  });

  it("keeps what is written without a connection, and sends it once there is one", async () => {
    const page = await come(webSession("lost"));
    gateway.setNetwork(false);
    await say(page, "while away");
    await page.getByText("Waits for the connection").waitFor();
    gateway.setNetwork(true);
    await answer(page, "while away");
    await eventually(() => page.locator("#outbox .message").count()).toBe(0);
    expect((await transcript(page)).filter((text) => text === "while away")).toHaveLength(1);
  });

  it("shows what went on while it was away, without reading the rest again", async () => {
    const page = await come(webSession("away"));
    await say(page, "before");
    await answer(page, "before");
    await page
      .locator("#log .message")
      .first()
      .evaluate((node) => node.setAttribute("data-marked", "1"));
    gateway.setNetwork(false);
    gateway.sessions.get(webSession("away"))?.take({ type: "send", id: "elsewhere", text: "from elsewhere" });
    gateway.setNetwork(true);
    await answer(page, "from elsewhere");
    expect(await page.locator("#log .message").first().getAttribute("data-marked")).toBe("1");
    expect(await transcript(page)).toHaveLength(4);
  });

  it("sends a message that a reload of the page cut off", async () => {
    const page = await come(webSession("cut-off"));
    gateway.setNetwork(false);
    await say(page, "not gone");
    await page.getByText("Waits for the connection").waitFor();
    gateway.setNetwork(true);
    await page.reload();
    await answer(page, "not gone");
  });

  it("shows a messenger's conversation with its picture, and goes on with it as the owner", async () => {
    const page = await come("main:telegram:dm:7001");
    await eventually(() =>
      page.getByRole("img", { name: "garden.svg" }).evaluate((image) => (image as HTMLImageElement).naturalWidth),
    ).toBe(320);
    expect(await page.locator(".others b").first().innerText()).toBe("Ida");
    await say(page, "thank you");
    await answer(page, "thank you");
  });

  it("opens a conversation at its end and stays there while its pictures come, until a person goes up", async () => {
    const key = webSession("pictures");
    const picture = { kind: "image", mime: "image/svg+xml", mediaKey: "garden.svg", name: "garden.svg" } as const;
    const rows = Array.from({ length: 12 }, (_, i) => ({
      id: String(i + 1),
      role: "user" as const,
      kind: "chat" as const,
      content: "words\n".repeat(5),
      attachments: i % 4 === 0 ? [picture] : [],
      created_at: new Date(0).toISOString(),
      turn_id: "1",
    }));
    gateway.sessions.set(key, openFakeSession(key, rows));
    const page = await come(key);
    const newest = page.getByRole("button", { name: "Newest" });
    // a picture comes before or after the browser tells of scrolling: it takes a few to see both
    for (let opened = 0; opened < 8; opened += 1) {
      await page.reload();
      const images = page.getByRole("img", { name: "garden.svg" });
      const loaded = (): Promise<boolean> =>
        images.evaluateAll((all) => all.length === 3 && all.every((one) => (one as HTMLImageElement).naturalWidth > 0));
      await eventually(loaded).toBe(true);
      await page.waitForTimeout(100);
      expect(await newest.isVisible()).toBe(false);
    }
    await page.locator("#scroller").hover();
    await page.mouse.wheel(0, -400);
    await newest.waitFor();
  });

  it("narrows the list of sessions by what is typed, and opens the one that is chosen", async () => {
    const page = await come(webSession("search"));
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("thursday");
    await eventually(() => page.getByRole("navigation").getByRole("link").count()).toBe(1);
    await page.getByRole("navigation").getByRole("link").click();
    await answer(page, "On Thursday at 10.");
    expect(page.url()).toContain(encodeURIComponent("main:slack:channel:C042"));
  });

  it("tells what the server complains about", async () => {
    const page = await come(webSession("error"));
    gateway.sessions.get(webSession("error"))?.tell({ type: "error", message: "That is too much." });
    await page.getByRole("alert").getByText("That is too much.").waitFor();
  });

  it("renders marks without an end in a time that does not explode", async () => {
    const page = await come(webSession("hostile"));
    const marks = ["*a ", "**a", "_a ", "`a", "[a](", "![", "> ", "- ", "~~a", "| a ", "# ", "http://a("];
    const content = marks.map((mark) => mark.repeat(20_000)).join("\n");
    const message = {
      id: "900",
      role: "assistant",
      kind: "chat",
      content,
      created_at: new Date(0).toISOString(),
      turn_id: "900",
    } as const;
    gateway.sessions.get(webSession("hostile"))?.tell({ type: "message", message });
    await answer(page, "http://a(");
  });
});

/** Presses a key until the focus is where it should be. */
async function tabTo(page: Page, key: string, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press(key);
    if (await isThere()) return;
  }
  throw new Error(`${key} does not lead there`);
}
