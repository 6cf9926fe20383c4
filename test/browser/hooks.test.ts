import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type HooksSystem, startHooksSystem } from "../support/hooks-system.ts";
import { launchBrowser } from "../support/launch-browser.ts";
import { contrast, namesOfControls } from "../support/page-driver.ts";
import { until } from "../support/until.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const VIEWS = ["Hooks", "Try out", "Recent calls", "Deliveries", "Modules", "Who did what"];
const HOSTILE = `<img src=x onerror="document.title='broken in'">`;

let browser: Browser;
let system: HooksSystem;
beforeAll(async () => {
  const decide = (path: string, body: string): object => {
    if (path === "/hostile") return { decision: "deny", reason: HOSTILE };
    return body.includes("rm -rf") ? { decision: "deny", reason: "rm -rf is not allowed here." } : {};
  };
  [browser, system] = await Promise.all([launchBrowser(), startHooksSystem(decide)]);
});
afterAll(() => Promise.all([browser.close(), system.stop()]));

/** Opens the page as the link does that holds the token; its script must not have failed when the test is over. */
async function come(
  options: Parameters<Browser["newContext"]>[0] = {},
  before: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const faults: string[] = [];
  context.on("weberror", (fault) => faults.push(String(fault.error().stack)));
  const page = await context.newPage();
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
    expect(faults).toEqual([]);
  });
  await before(page);
  await page.goto(`${system.url}/hooks#token=${system.token}`);
  await page.locator("#fresh[data-state=open]").waitFor();
  return { page, context };
}

/** The card of a hook that waits for approval. */
function waiting(page: Page, name: string): Locator {
  return page.locator("#waiting").getByRole("article", { name, exact: true });
}

function listed(page: Page, name: string): Locator {
  return page.locator("#all > li", { has: page.getByText(name, { exact: true }) });
}

const press = (within: Page | Locator, name: string | RegExp): Promise<void> =>
  within.getByRole("button", { name }).click();
const go = (page: Page, view: string): Promise<void> =>
  page.getByRole("navigation").getByRole("link", { name: view }).click();

/** A guard of the terminal whose address ends in its name. */
function guard(name: string, more: object = {}): object {
  return {
    id: name,
    name,
    event: "tool.pre",
    url: `${system.receiver}${name}`,
    matcher: { tool: "terminal" },
    ...more,
  };
}

const calls = (name: string): number => system.received.filter(({ path }) => path === `/${name}`).length;

/** Changes what the API answers a page: what a real system cannot be brought to on command. */
async function amend(page: Page, path: string, change: (body: Record<string, unknown>) => object): Promise<void> {
  await page.route(`**/api/hooks${path}`, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch();
    const body = change((await response.json()) as Record<string, unknown>);
    return route.fulfill({ response, json: body });
  });
}

it("asks for a token, says where it is found, refuses a wrong one and lets the right one in", async () => {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${system.url}/hooks`);
  await page.getByText("The link that npm start prints has it.").waitFor();
  await page.getByRole("textbox", { name: "Token" }).fill("wrong");
  await press(page, "Come in");
  await page.getByText("That token is not the right one.").waitFor();
  await page.getByRole("textbox", { name: "Token" }).fill(system.token);
  await press(page, "Come in");
  await page.getByRole("switch", { name: "Hooks are on" }).waitFor();
});

it("takes the token out of the address, and leads to the conversation and back with it", async () => {
  const { page } = await come();
  expect(page.url()).not.toContain(system.token);
  await page.getByRole("link", { name: "Conversation" }).click();
  await page.locator("#status[data-state=open]").waitFor();
  await page.getByRole("link", { name: "Hooks" }).click();
  await page.getByRole("switch", { name: "Hooks are on" }).waitFor();
});

it("shows all that will run and no secret, and lets it run on the next turn once it is approved", async () => {
  const headers = { authorization: "Bearer written-out", "x-key": "${secret:HOOK_KEY}" };
  const hook = await system.add(
    guard("approved", { onFailure: "deny", timeout: 7, headers, allowedSecrets: ["HOOK_KEY"] }),
  );
  const { page } = await come();
  const card = waiting(page, "approved");
  await card.getByText(hook.digest).waitFor();
  const words = await card.innerText();
  for (const part of [
    "tool.pre: before every tool call",
    hook.target,
    '{"tool":"terminal"}',
    "7 s",
    "HOOK_KEY",
    "native",
  ])
    expect(words).toContain(part);
  expect(words).toMatch(/When it fails\s+what it stands before is refused/);
  expect(await page.content()).not.toContain("written-out");
  await system.runTurn("approved", "run: echo one");
  expect(calls("approved")).toBe(0);
  await press(card, "Approve approved");
  await page.getByText("approved is approved and runs from now on.").waitFor();
  await listed(page, "approved").getByText("active", { exact: true }).waitFor();
  expect(await system.runTurn("approved", "run: rm -rf notes")).toContain("rm -rf is not allowed here.");
  expect(calls("approved")).toBe(1);
  await until(async () => expect(await listed(page, "approved").innerText()).toContain("called just now"));
});

it("says that a hook is not what was approved, by whom, and what that means until somebody looks", async () => {
  const before = await system.add(guard("changed", { onFailure: "deny" }));
  await system.approve(before);
  await system.api("PUT", "/changed", { native: [guard("changed", { onFailure: "deny", timeout: 3 })] });
  const { page } = await come();
  const card = waiting(page, "changed");
  await card.getByText("This is not what was approved.").waitFor();
  const words = await card.innerText();
  expect(words).toContain(before.digest.slice("sha256:".length, 19));
  expect(words).toContain("operator approved it");
  expect(words).toContain("Until then, whatever it stands before is refused.");
  await press(card, "Approve changed");
  await until(async () => expect(await system.statusOf("changed")).toBe("active"));
  await listed(page, "changed").locator("summary").click();
  await press(listed(page, "changed"), "Revoke the approval of changed");
  await waiting(page, "changed").waitFor();
  expect(await system.statusOf("changed")).toBe("not_approved");
});

it("lets nobody approve what came under their hand while they read", async () => {
  await system.add(guard("swapped"));
  const { page } = await come();
  const card = waiting(page, "swapped");
  await card.getByText("10 s").waitFor();
  await system.api("PUT", "/swapped", { native: [guard("swapped", { timeout: 90 })] });
  await card.getByText("It has changed since it was shown here.").waitFor();
  expect(await card.innerText()).toContain("10 s");
  expect(await card.getByRole("button", { name: "Approve swapped" }).getAttribute("aria-disabled")).toBe("true");
  await press(card, "Show it as it is now");
  await card.getByText("90 s").waitFor();
  await press(card, "Approve swapped");
  await until(async () => expect(await system.statusOf("swapped")).toBe("active"));
});

it("changes nothing when somebody else changed something meanwhile, and says so", async () => {
  await system.add(guard("raced"));
  const { page } = await come();
  await page.route("**/api/hooks/approvals", async (route) => {
    if (route.request().method() === "POST") await system.api("POST", "/raced/reset-circuit");
    return route.fallback();
  });
  await press(waiting(page, "raced"), "Approve raced");
  await waiting(page, "raced").getByRole("alert").getByText("Somebody changed the hooks meanwhile").waitFor();
  expect(await system.statusOf("raced")).toBe("not_approved");
});

it("tells why an approval was refused, beside the button", async () => {
  await system.add(guard("refused"));
  const { page } = await come();
  const detail = "Its name leads to 10.0.0.7 (private), which no hook may reach.";
  await page.route("**/api/hooks/approvals", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 409, json: { status: 409, code: "address_refused", detail } })
      : route.fallback(),
  );
  await press(waiting(page, "refused"), "Approve refused");
  await waiting(page, "refused").getByRole("alert").getByText(`the address is refused. ${detail}`).waitFor();
});

it("switches all hooks off and on, and keeps every approval", async () => {
  await system.approve(await system.add(guard("switched")));
  onTestFinished(async () => void (await system.api("PUT", "/master", { on: true })));
  const { page } = await come();
  await page.getByRole("switch", { name: "Hooks are on" }).click();
  await listed(page, "switched").getByText("approved, hooks are off").waitFor();
  await system.runTurn("switched", "run: echo off");
  expect(calls("switched")).toBe(0);
  await page.getByRole("switch", { name: "Hooks are off" }).click();
  await listed(page, "switched").getByText("active", { exact: true }).waitFor();
  await system.runTurn("switched", "run: echo on");
  expect(calls("switched")).toBe(1);
});

it("switches one hook off and on, and shows who did it", async () => {
  await system.approve(await system.add(guard("single")));
  const { page } = await come();
  const line = listed(page, "single");
  await line.locator("summary").click();
  await press(line, "Disable single");
  await line.getByText("single is disabled. Its approval is kept.").waitFor();
  await line.getByRole("list", { name: "Who did what to it" }).getByText("operator disabled").waitFor();
  await press(line, "Enable single");
  await line.getByText("single is enabled.").waitFor();
  expect(await system.statusOf("single")).toBe("active");
  await go(page, "Who did what");
  await page.locator("#trail").getByText("operator enabled").first().waitFor();
});

it("tries an event, and shows what each hook answered and what came of it", async () => {
  await system.approve(await system.add(guard("tried")));
  await system.add(guard("untried"));
  const { page } = await come();
  await go(page, "Try out");
  await page.getByRole("combobox", { name: "Moment" }).selectOption("tool.pre");
  await page.getByRole("textbox", { name: "What the event carries" }).fill("{ not json");
  await press(page, "Run");
  await page.getByRole("alert").getByText("That is not JSON").waitFor();
  await page.getByRole("textbox", { name: "What the event carries" }).fill('{"input": {"command": "rm -rf x"}}');
  await press(page, "Run");
  const outcome = page.locator("#outcome");
  await outcome.getByText(/Refused by .*: rm -rf is not allowed here\./).waitFor();
  await outcome.getByText("It was not called: not approved.").first().waitFor();
  expect(calls("untried")).toBe(0);
  await outcome.locator("li", { hasText: "answered in" }).first().locator("summary").click();
  expect(await outcome.getByLabel("Came back").first().innerText()).toContain('"decision":"deny"');
  await press(page, "Examine every hook");
  await page.locator("#findings").getByText("tried", { exact: true }).waitFor();
});

it("shows markup in names, addresses and answers as text", async () => {
  const hook = {
    id: "hostile",
    name: HOSTILE,
    event: "tool.pre",
    url: `${system.receiver}hostile`,
    matcher: { command: HOSTILE },
  };
  await system.add({ ...hook, id: "waits", url: `${system.receiver}?${HOSTILE}` });
  await system.approve(await system.add({ ...hook, matcher: { tool: "terminal" } }));
  onTestFinished(async () => void (await system.api("DELETE", "/hostile")));
  const { page } = await come();
  await waiting(page, HOSTILE).waitFor();
  await listed(page, HOSTILE).first().locator("summary").click();
  await go(page, "Try out");
  await page.getByRole("combobox", { name: "Moment" }).selectOption("tool.pre");
  await press(page, "Run");
  await page.locator("#outcome").getByText(HOSTILE).first().waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.title()).toBe("Try out · Talaria");
});

it("keeps the source of a module, shows it, and forgets it when it is asked twice", async () => {
  const { page } = await come();
  await go(page, "Modules");
  const source = "export function onHook() { return undefined; }\n";
  await page.getByLabel("Choose a file").setInputFiles({
    name: "own.js",
    mimeType: "text/javascript",
    buffer: Buffer.from(source),
  });
  await until(async () => expect(await page.getByLabel("Source of a JavaScript module").inputValue()).toBe(source));
  await press(page, "Keep it");
  await page.getByText("Kept. A hook names it as module:").waitFor();
  expect(await page.getByLabel("Source of a JavaScript module").inputValue()).toBe("");
  const line = page.locator("#modules li", { hasText: `${source.length} bytes` });
  await line.getByText("no network").waitFor();
  await press(line, "Show its source");
  expect(await line.getByLabel("Source of the module").innerText()).toBe(source);
  await press(line, /^Delete sha256/);
  await press(line, "Delete it for good");
  await until(async () => expect(await line.count()).toBe(0));
});

it("names what could not be read, tells where a module may send, and lets it out of quarantine", async () => {
  const { sha256 } = await fetch(`${system.url}/api/hooks/modules`, {
    method: "POST",
    headers: { authorization: `Bearer ${system.token}` },
    body: "export function onHook() {}",
  }).then((response) => response.json() as Promise<{ sha256: string }>);
  await system.approve(
    await system.add({ id: "held", name: "held", event: "tool.pre", module: `own@sha256:${sha256}` }),
  );
  await system.api("POST", "/held/disable");
  const unread = [
    { level: "warn", code: "hook.unknown_event", message: "no event PreTolUse", suggestion: "PreToolUse" },
  ];
  const { page } = await come({}, async (opened) => {
    await amend(opened, "", (body) => ({ ...body, unread, quarantined: ["own"] }));
    await amend(opened, "/modules", () => ({
      modules: [{ sha256, bytes: 9, used_by: [], network: true, added_at: 0 }],
    }));
  });
  await listed(page, "held").locator("summary").click();
  await listed(page, "held").getByText("it may send it to public addresses").waitFor();
  await page.locator("#unread").getByText("Did you mean PreToolUse?").waitFor();
  await press(page.getByRole("article", { name: "Quarantine: own" }), "Release own");
  await page.getByText("own is released: it is called again.").waitFor();
  expect(await system.statusOf("held")).toBe("active");
});

it("lists what was given up for its receiver, and tries it again", async () => {
  const delivery = { id: "main:web:dm:1#7", session: "main:web:dm:1", hook: "log", event: "turn.end", attempts: 9 };
  const dead = { ...delivery, state: "dead", created_at: new Date(0).toISOString(), error: "HTTP 500" };
  const { page } = await come({}, (opened) => amend(opened, "/deliveries", () => ({ deliveries: [dead] })));
  await go(page, "Deliveries");
  const line = page.locator("#deliveries li");
  await line.getByText("given up").waitFor();
  await press(line, "Replay turn.end to log");
  await line.getByRole("alert").getByText("There is no delivery with that id").waitFor();
});

it("loses nothing without a network, and goes on when it is back", async () => {
  await system.add(guard("offline"));
  const { page, context } = await come();
  await waiting(page, "offline").getByText("10 s").waitFor();
  await context.setOffline(true);
  await press(waiting(page, "offline"), "Approve offline");
  await waiting(page, "offline").getByText("No answer came: it may be done or not.").waitFor();
  await page.getByText("Not connected.").waitFor();
  await context.setOffline(false);
  await page.locator("#fresh[data-state=open]").waitFor();
  await press(waiting(page, "offline"), "Approve offline");
  await until(async () => expect(await system.statusOf("offline")).toBe("active"));
});

it("shows what others do without a reload, and leaves the focus where it is", async () => {
  await system.approve(await system.add(guard("early", { priority: 1 })));
  const { page } = await come();
  await listed(page, "early").locator("summary").focus();
  await system.add(guard("late"));
  await waiting(page, "late").waitFor();
  await system.runTurn("early", "run: rm -rf early");
  await until(async () => expect(await listed(page, "early").innerText()).toContain("called just now"));
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-act"))).toBe("open early");
});

it("fits a phone in every view", async () => {
  const long = "a-very-long-word-".repeat(12);
  await system.add(guard(long, { matcher: { command: long } }));
  const { page } = await come(PHONE);
  await waiting(page, long).getByText("10 s").waitFor();
  for (const view of VIEWS) {
    await go(page, view);
    await page.getByRole("heading", { level: 1, name: view }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([view, width]).toEqual([view, PHONE.viewport.width]);
  }
});

it("approves with the keyboard alone, and leads on to what waits next", async () => {
  await system.add(guard("typed"));
  const { page } = await come();
  await waiting(page, "typed").getByText("10 s").waitFor();
  const focused = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute("data-act") ?? document.activeElement?.id);
  for (let presses = 0; presses < 80 && (await focused()) !== "approve typed"; presses += 1)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await until(async () => expect(await system.statusOf("typed")).toBe("active"));
  await until(async () => expect(await focused()).toMatch(/^(waiting-title|title)$/));
});

it.each(["light", "dark"] as const)("names every control and is legible in the %s", async (colorScheme) => {
  const name = `legible-${colorScheme}`;
  await system.add(guard(name));
  const { page } = await come({ colorScheme });
  await waiting(page, name).getByText("10 s").waitFor();
  for (const view of VIEWS) {
    await go(page, view);
    expect(await namesOfControls(page)).not.toContainEqual(expect.stringContaining("without a name"));
  }
  await go(page, "Hooks");
  for (const text of [
    "#fresh",
    "#master-about",
    ".pill.warn",
    "#waiting dt",
    "#waiting code",
    "#waiting .primary",
    ".count",
  ])
    expect(await contrast(page.locator(text).first()), text).toBeGreaterThanOrEqual(4.5);
});
