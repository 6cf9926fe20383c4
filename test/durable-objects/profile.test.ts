import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, openWorld, operator, postTelegram, privateMessage } from "../support/world";
import { configure, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Pairs a stranger as the operator does: with the code that the stranger was given. */
async function pair(chat: number): Promise<void> {
  await postTelegram(privateMessage(chat, 1, "let me in"));
  await until(() => expect(world.textsOf(chat)).toHaveLength(1));
  const code = /`([^`]+)`/.exec(world.textsOf(chat)[0] ?? "")?.[1];
  const response = await operator("/api/pairing/approve", {
    method: "POST",
    body: JSON.stringify({ platform: "telegram", code }),
  });
  expect(response.status).toBe(200);
}

it("answers a person as soon as the operator has approved them", async () => {
  await pair(76_001);
  await postTelegram(privateMessage(76_001, 2, "hello"));
  await until(() => expect(world.textsOf(76_001)).toHaveLength(2));
  expect(world.textsOf(76_001)[1]).toBe("You said: hello");
});

it("takes a person's access away at once", async () => {
  await pair(76_002);
  await postTelegram(privateMessage(76_002, 2, "hello"));
  await until(() => expect(world.textsOf(76_002)).toHaveLength(2));
  const asked = world.asked.length;
  const response = await operator("/api/pairing/telegram:76002", { method: "DELETE" });
  expect(response.status).toBe(200);
  await postTelegram(privateMessage(76_002, 3, "still there?"));
  await until(() => expect(world.textsOf(76_002)).toHaveLength(3));
  expect(world.textsOf(76_002)[2]).toContain("I do not know you yet");
  expect(world.asked).toHaveLength(asked);
});

it("sums what all conversations used, once, however often it is told", async () => {
  for (const chat of [76_003, 76_004]) {
    const session = openSession(world, chat);
    await session.say("one");
    await session.shown(1);
    await session.wake();
    await session.say("two");
    await session.shown(2);
    await session.wake();
    await session.crash();
    await session.wake();
  }
  // other conversations may be told of at the same time: only these two are looked at
  const told = await runInDurableObject(env.PROFILES.getByName("main"), (_instance, state) =>
    state.storage.sql
      .exec<{ usage: string }>(
        "SELECT usage FROM sessions WHERE key IN ('main:telegram:dm:76003', 'main:telegram:dm:76004')",
      )
      .toArray(),
  );
  const days = told.flatMap(({ usage }) => JSON.parse(usage) as { calls: number; inputTokens: number }[]);
  expect(days.reduce((sum, day) => sum + day.calls, 0)).toBe(4);
  expect(days.reduce((sum, day) => sum + day.inputTokens, 0)).toBe(40);
  const { sessions } = await (
    await operator("/api/sessions")
  ).json<{ sessions: { key: string; messages: number }[] }>();
  expect(sessions.find((one) => one.key === "main:telegram:dm:76003")?.messages).toBe(4);
});

it("remembers in a new conversation of one chat what was noted in another", async () => {
  const one = openSession(world, 76_005);
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "noted" }
      : {
          calls: [
            {
              name: "memory",
              arguments: { action: "add", target: "memory", content: "The cellar key hangs behind the clock." },
            },
          ],
        };
  await one.say("remember where the key is");
  await one.shown(1);
  const other = openSession(world, 76_006);
  world.say = () => ({ text: "yes" });
  await other.say("where is the key?");
  await other.shown(1);
  expect(String(world.asked.at(-1)?.messages[0]?.content)).toContain("The cellar key hangs behind the clock.");
});

it("tells the person what is not set up when no model can be had", async () => {
  const session = openSession(world, 76_007);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await configure({ "model.base_url": "nowhere" });
  try {
    await session.say("hello");
    const [text] = await session.shown(1);
    expect(text).toContain("OPENAI_BASE_URL");
  } finally {
    await configure({ "model.base_url": null });
  }
});

it("switches a hook off that took nothing for three days, and counts anew once something came through", async () => {
  const profile = env.PROFILES.getByName("observers");
  const hour = 3_600_000;
  const note = async (isThere: boolean, at: number) =>
    profile.noteDelivery("h", isThere, at, { at, action: "auto_disable" });
  expect([await note(false, 0), await note(false, 71 * hour), await note(true, 72 * hour)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([await note(false, 73 * hour), await note(false, 144 * hour)]).toEqual([false, false]);
  expect(await note(false, 145 * hour)).toBe(true);
  const kept = await runInDurableObject(profile, (instance) => instance.hooks());
  expect([kept.disabled, kept.failing]).toEqual([["h"], {}]);
});
