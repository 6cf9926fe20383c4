import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { admit } from "../support/doors";
import { type World, lastWords, openWorld, operator, postTelegram, privateMessage } from "../support/world";
import { until } from "../support/until";

/** Persons that are let in, one for each test. */
const FIRST = 7301;
const LAST = 7310;

let world: World;
beforeAll(() => admit(...Array.from({ length: LAST - FIRST + 1 }, (_, index) => `telegram:${FIRST + index}`)));
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Resolves when a chat shows so many messages, the last one whole: its turn is over. */
async function shown(chat: number, count: number): Promise<string[]> {
  await until(() => expect(world.textsOf(chat)).toHaveLength(count));
  await settled(chat);
  return world.textsOf(chat);
}

/** Resolves when nothing of a session is under way. */
async function settled(chat: number): Promise<void> {
  const stub = env.SESSIONS.getByName(`main:telegram:dm:${chat}`);
  await until(async () => {
    const rows = await runInDurableObject(stub, (_instance, state) => ({
      turns: state.storage.sql.exec("SELECT count(*) AS n FROM turns").one()["n"],
      outbox: state.storage.sql.exec("SELECT count(*) AS n FROM outbox").one()["n"],
    }));
    expect(rows).toEqual({ turns: 0, outbox: 0 });
  });
}

async function transcript(
  chat: number,
): Promise<{ role: string; kind: string; content: string; tool_name?: string; turn_id: string }[]> {
  const response = await operator(`/api/sessions/${encodeURIComponent(`main:telegram:dm:${chat}`)}/messages`);
  return (await response.json<{ messages: { role: string; kind: string; content: string; turn_id: string }[] }>())
    .messages;
}

it("answers a message on its platform and keeps both in the transcript", async () => {
  const response = await postTelegram(privateMessage(7301, 1, "hello there"));
  expect(response.status).toBe(200);
  expect(await shown(7301, 1)).toEqual(["You said: hello there"]);
  expect(await transcript(7301)).toMatchObject([
    { role: "user", content: "hello there" },
    { role: "assistant", content: "You said: hello there" },
  ]);
});

it("takes a message once, however often it arrives", async () => {
  const update = privateMessage(7302, 1, "only once");
  await Promise.all([postTelegram(update), postTelegram(update), postTelegram(update)]);
  await shown(7302, 1);
  await postTelegram(update);
  await settled(7302);
  expect(world.textsOf(7302)).toEqual(["You said: only once"]);
});

it("reads the conversation back to the model", async () => {
  const chat = 7303;
  await postTelegram(privateMessage(chat, 1, "my name is Ada"));
  await shown(chat, 1);
  await postTelegram(privateMessage(chat, 2, "what is it?"));
  await shown(chat, 2);
  expect(world.asked.at(-1)?.messages.slice(1)).toEqual([
    { role: "user", content: "my name is Ada" },
    { role: "assistant", content: "You said: my name is Ada" },
    { role: "user", content: "what is it?" },
  ]);
});

it("shows the model the same system prompt, byte for byte, through a conversation", async () => {
  const chat = 7304;
  await postTelegram(privateMessage(chat, 50, "one"));
  await shown(chat, 1);
  await postTelegram(privateMessage(chat, 51, "two"));
  await shown(chat, 2);
  const [first, second] = world.asked.slice(-2).map((asked) => asked.messages[0]?.content);
  expect(first).toBe(second);
});

it("runs the tools that the model calls and gives it their results", async () => {
  const chat = 7305;
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: `done: ${String(asked.messages.at(-1)?.content)}` }
      : { calls: [{ name: "todo", arguments: { todos: [{ id: "1", content: "sweep", status: "pending" }] } }] };
  await postTelegram(privateMessage(chat, 60, "plan it"));
  const [text] = await shown(chat, 1);
  expect(text).toContain("sweep");
  const roles = (await transcript(chat)).slice(-4).map((message) => message.role);
  expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
});

it("tells the model of a tool that does not exist, and goes on", async () => {
  const chat = 7306;
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool" ? { text: "sorry" } : { calls: [{ name: "teleport", arguments: {} }] };
  await postTelegram(privateMessage(chat, 61, "go"));
  await shown(chat, 1);
  expect(String(world.asked.at(-1)?.messages.at(-1)?.content)).toContain('no tool "teleport"');
});

it("folds a message that arrives before anything was sent into the running turn", async () => {
  const chat = 7307;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) await held;
    return { text: `heard ${lastWords(asked)}` };
  };
  await postTelegram(privateMessage(chat, 70, "first"));
  await until(() => expect(world.asked).toHaveLength(1));
  await postTelegram(privateMessage(chat, 71, "second"));
  const texts = await shown(chat, 1);
  release();
  expect(texts).toEqual(["heard second"]);
  const turns = (await transcript(chat)).slice(-3).map((message) => message.turn_id);
  expect(new Set(turns).size).toBe(1);
});

it("ends a running turn within a moment when the person says stop, with one answer", async () => {
  const chat = 7308;
  world.say = () => new Promise(() => undefined);
  await postTelegram(privateMessage(chat, 72, "think forever"));
  await until(() => expect(world.asked.length).toBeGreaterThan(0));
  await postTelegram(privateMessage(chat, 73, "/stop"));
  expect(await shown(chat, 1)).toEqual(["⏹ Stopped."]);
});

it("says in one sentence why there is no answer when the model keeps failing", async () => {
  const chat = 7309;
  world.say = () => ({ status: 401 });
  await postTelegram(privateMessage(chat, 74, "hello?"));
  const [text] = await shown(chat, 1);
  expect(text).toContain("I could not answer");
  expect(text).not.toContain("world-key");
});

it("starts a new conversation that the model knows nothing of before", async () => {
  const chat = 7310;
  await postTelegram(privateMessage(chat, 80, "remember the word plum"));
  await shown(chat, 1);
  await postTelegram(privateMessage(chat, 81, "/new"));
  await shown(chat, 2);
  await postTelegram(privateMessage(chat, 82, "which word?"));
  await shown(chat, 3);
  expect(world.asked.at(-1)?.messages.slice(1)).toEqual([{ role: "user", content: "which word?" }]);
});

it("gives a stranger's direct message a pairing code and runs nothing", async () => {
  await postTelegram(privateMessage(8888, 1, "let me in"));
  await until(() => expect(world.textsOf(8888)).toHaveLength(1));
  expect(world.textsOf(8888)[0]).toMatch(/approve this code/);
  expect(world.asked).toEqual([]);
});
