import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { utf8 } from "#src/lib/encoding";
import { type ModelAsked, type World, openWorld } from "../support/world";
import { type SessionDriver, configureProfile, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const promptOf = (asked: ModelAsked | undefined): string => String(asked?.messages[0]?.content);
const lastPrompt = (): string => promptOf(world.asked.at(-1));

/** A session of a profile of its own, with these files in its workspace. */
async function session(
  chat: number,
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<SessionDriver> {
  const profile = `prompt${chat}`;
  await configureProfile(profile, settings);
  for (const [name, text] of Object.entries(files)) await write(profile, name, text);
  return openSession(world, chat, profile);
}

let writes = 0;

async function write(profile: string, name: string, text: string): Promise<void> {
  const answer = await env.SANDBOXES.getByName(profile).writeFile(
    `/workspace/${name}`,
    utf8(text),
    `write-${writes++}`,
  );
  expect(answer).toMatchObject({ ok: true });
}

/** Says something, and waits for its answer. */
async function say(driver: SessionDriver, text: string, shown: number): Promise<void> {
  await driver.say(text);
  await driver.shown(shown);
}

it("tells the model what the project's AGENTS.md says, and is who SOUL.md says", async () => {
  const driver = await session(83_001, {
    "AGENTS.md": "Write every date as 2026-11-21.",
    "SOUL.md": "You are Mercury.",
  });
  await say(driver, "hello", 1);
  expect(lastPrompt()).toMatch(/^You are Mercury\./);
  expect(lastPrompt()).toContain("Write every date as 2026-11-21.");
  expect(lastPrompt().indexOf("You are Mercury.")).toBeLessThan(lastPrompt().indexOf("Write every date"));
});

it("lets the operator's words stand above SOUL.md", async () => {
  const driver = await session(
    83_002,
    { "SOUL.md": "You are Mercury." },
    { "agent.system_prompt": "You are Jupiter." },
  );
  await say(driver, "hello", 1);
  expect(lastPrompt()).toMatch(/^You are Jupiter\./);
  expect(lastPrompt()).not.toContain("Mercury");
});

it("keeps the prompt's bytes over turns, changed files and a crash, and reads the files anew after /new", async () => {
  const driver = await session(83_003, { "AGENTS.md": "The first version." });
  await say(driver, "one", 1);
  const first = lastPrompt();
  await write("prompt83003", "AGENTS.md", "The second version.");
  await say(driver, "two", 2);
  expect(lastPrompt()).toBe(first);
  await driver.crash();
  await say(driver, "three", 3);
  expect(lastPrompt()).toBe(first);
  await say(driver, "/new", 4);
  await say(driver, "four", 5);
  expect(lastPrompt()).toContain("The second version.");
  expect(lastPrompt()).not.toContain("The first version.");
});

it("keeps the prompt's bytes when the memory changes, and has the new one in the next conversation", async () => {
  const driver = await session(83_004, {});
  await env.PROFILES.getByName("prompt83004").writeMemory("user", ["Ada likes tea."], []);
  await say(driver, "one", 1);
  const first = lastPrompt();
  expect(first).toContain("Ada likes tea.");
  await env.PROFILES.getByName("prompt83004").writeMemory("user", ["Ada likes coffee."], ["Ada likes tea."]);
  await say(driver, "two", 2);
  expect(lastPrompt()).toBe(first);
  await say(driver, "/new", 3);
  await say(driver, "three", 4);
  expect(lastPrompt()).toContain("Ada likes coffee.");
});

it("writes the prompt anew for another model, and for that model keeps it", async () => {
  const driver = await session(83_005, {});
  await say(driver, "one", 1);
  expect(lastPrompt()).toContain("Model: scripted");
  await say(driver, "/model other", 2);
  await say(driver, "two", 3);
  const other = lastPrompt();
  expect(other).toContain("Model: other");
  expect(world.asked.at(-1)?.model).toBe("other");
  await say(driver, "three", 4);
  expect(lastPrompt()).toBe(other);
});

it("shows a webhook's conversation neither files nor memory", async () => {
  await session(83_006, { "AGENTS.md": "The vault's code is in vault.txt.", "SOUL.md": "You are Mercury." });
  await env.PROFILES.getByName("prompt83006").writeMemory("memory", ["The vault is in the cellar."], []);
  const at = env.SESSIONS.getByName("prompt83006:webhook:dm:build");
  const text = "The build has failed.";
  const event = {
    kind: "message",
    eventId: "1",
    dedupeKeys: ["webhook-1"],
    chatId: "build",
    chatType: "dm",
    userId: "webhook",
    text,
    rawText: text,
    messageId: "1",
    mentionsBot: false,
    replyToBot: false,
    addressed: true,
    attachments: [],
    isFromBot: false,
    target: { chatId: "build" },
    at: 0,
  } as const;
  await at.ingest({ event, platform: "webhook" });
  await until(() => expect(world.asked).toHaveLength(1));
  const whole = JSON.stringify(world.asked[0]);
  expect(whole).toContain("The build has failed.");
  for (const secret of ["vault", "cellar", "Mercury"]) expect(whole).not.toContain(secret);
});

it("shows a subagent the project's files, and not the memory", async () => {
  const driver = await session(83_007, { "AGENTS.md": "Write every date as 2026-11-21." });
  await env.PROFILES.getByName("prompt83007").writeMemory("memory", ["The vault is in the cellar."], []);
  world.say = (asked) => {
    const isParent = asked.tools?.some((tool) => tool.function.name === "delegate_task") === true;
    if (!isParent || asked.messages.at(-1)?.role === "tool") return { text: "done" };
    return { calls: [{ name: "delegate_task", arguments: { goal: "count the moons" } }] };
  };
  await say(driver, "go", 1);
  expect(promptOf(world.asked[0])).toContain("cellar");
  expect(promptOf(world.asked[1])).toContain("Write every date");
  expect(promptOf(world.asked[1])).not.toContain("cellar");
});

it("cuts a file that would fill the window, and tells the model where the rest is", async () => {
  const driver = await session(83_008, { "AGENTS.md": `BEGINNING ${"x".repeat(300_000)} END` });
  await say(driver, "hello", 1);
  expect(lastPrompt()).toContain("BEGINNING");
  expect(lastPrompt().length).toBeLessThan(100_000);
  expect(lastPrompt()).toContain("/workspace/AGENTS.md");
});
