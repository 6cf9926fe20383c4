import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, openWorld, operator, postTelegram } from "../support/world";
import { type SessionDriver, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: `You chose: ${String(last.content)}` }
      : { calls: [{ name: "clarify", arguments: { question: "Which city?", choices: ["Oslo", "Bergen"] } }] };
  };
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Values of the buttons below a message of a chat. */
function buttonsOf(chat: number): string[] {
  const keyboard = world.sent.find((message) => message.chat === String(chat) && message.keyboard !== undefined)
    ?.keyboard as { inline_keyboard: { callback_data: string }[][] } | undefined;
  return (keyboard?.inline_keyboard ?? []).flat().map((button) => button.callback_data);
}

async function asked(session: SessionDriver): Promise<void> {
  await session.say("plan my trip");
  await until(() => expect(world.textsOf(session.chat)).toEqual(["Which city?\n\n1. Oslo\n2. Bergen"]));
}

it("asks with buttons and takes the pressed one as the answer", async () => {
  const session = openSession(world, 72_001);
  await asked(session);
  expect(buttonsOf(72_001)).toHaveLength(2);
  await session.press(buttonsOf(72_001)[1] ?? "");
  expect((await session.shown(2)).at(-1)).toBe("You chose: Bergen");
  expect((await session.transcript()).map(({ role, kind }) => `${role}/${kind}`)).toEqual([
    "user/chat",
    "assistant/chat",
    "user/answer",
    "tool/chat",
    "assistant/chat",
  ]);
});

it("reads a press that comes through the webhook", async () => {
  const session = openSession(world, 7004);
  const chat = { id: 7004, type: "private" };
  const from = { id: 7004, is_bot: false, first_name: "Ada" };
  const before = world.textsOf(7004).length;
  await postTelegram({ message: { message_id: 9001, from, chat, date: 1_790_000_000, text: "plan my trip" } });
  await until(() => expect(world.textsOf(7004)).toHaveLength(before + 1));
  const data = buttonsOf(7004)[0];
  await postTelegram({
    callback_query: { id: "cb-1", from, message: { message_id: 9002, chat, date: 1_790_000_000 }, data },
  });
  expect((await session.shown(before + 2)).at(-1)).toBe("You chose: Oslo");
  expect(world.calls).toContain("telegram answerCallbackQuery");
});

it.each([
  ["2", "Bergen"],
  ["oslo", "Oslo"],
  ["Trondheim, please", "Trondheim, please"],
])("takes %j as the answer %j", async (text, answer) => {
  const session = openSession(world, 72_100 + text.length);
  await asked(session);
  await session.say(text);
  expect((await session.shown(2)).at(-1)).toBe(`You chose: ${answer}`);
});

it("takes an answer from the page", async () => {
  const session = openSession(world, 72_003);
  await asked(session);
  const path = `/api/sessions/${encodeURIComponent(session.key)}/messages`;
  await operator(path, { method: "POST", body: JSON.stringify({ text: "1" }) });
  expect((await session.shown(2)).at(-1)).toBe("You chose: Oslo");
});

it("waits on through a crash, and does not ask twice", async () => {
  const session = openSession(world, 72_004);
  await asked(session);
  for (let life = 1; life <= 7; life++) await session.crash();
  await session.press(buttonsOf(72_004)[0] ?? "");
  expect(await session.shown(2)).toEqual(["Which city?\n\n1. Oslo\n2. Bergen", "You chose: Oslo"]);
  expect(world.asked).toHaveLength(2);
});

it("says so when a button is pressed whose question is answered", async () => {
  const session = openSession(world, 72_005);
  const notes: unknown[] = [];
  world.answer = (call, body) => {
    if (call === "telegram answerCallbackQuery") notes.push(body["text"]);
    return undefined;
  };
  await asked(session);
  const value = buttonsOf(72_005)[0] ?? "";
  await session.say("2");
  await session.shown(2);
  expect(await session.press(value)).toEqual({ status: "ignored" });
  await until(() => expect(notes).toEqual(["This question is no longer open."]));
  expect(world.textsOf(72_005)).toHaveLength(2);
});

it("goes on without an answer when its time is over", async () => {
  const session = openSession(world, 72_006);
  await asked(session);
  await session.sql("UPDATE turns SET data = json_set(data, '$.waiting.expiresAt', 1)");
  await session.crash();
  expect((await session.shown(2)).at(-1)).toContain("did not answer within 60 minutes");
});

it("ends a turn that waits for an answer when the person says stop", async () => {
  const session = openSession(world, 72_007);
  await asked(session);
  await session.say("/stop");
  expect((await session.shown(2)).at(-1)).toBe("⏹ Stopped.");
  expect((await session.say("2")).status).toBe("accepted");
});

it("leaves a question standing where it was asked when the answer comes", async () => {
  const session = openSession(world, 72_008);
  const intro = "Let me think about where you could go this summer.";
  world.say = (request) => {
    const last = request.messages.at(-1);
    return last?.role === "tool"
      ? { text: `You chose: ${String(last.content)}, and that is a very good choice for a summer.` }
      : {
          text: intro,
          calls: [{ name: "clarify", arguments: { question: "Which city?", choices: ["Oslo", "Bergen"] } }],
          hold: new Promise((resolve) => setTimeout(resolve, 500)),
        };
  };
  await session.say("plan my trip");
  await until(() => expect(world.textsOf(72_008).join()).toContain("Which city?"));
  const question = world.textsOf(72_008).find((text) => text.includes("Which city?"));
  await session.say("1");
  await session.settled();
  // the question still stands where it was asked
  expect(world.textsOf(72_008)).toContain(question);
  expect(world.textsOf(72_008).at(-1)).toContain("You chose: Oslo");
});

it("takes the first of two presses", async () => {
  const session = openSession(world, 72_009);
  await asked(session);
  const [oslo = "", bergen = ""] = buttonsOf(72_009);
  await Promise.all([session.press(oslo), session.press(bergen)]);
  expect((await session.shown(2)).at(-1)).toBe("You chose: Oslo");
  expect((await session.transcript()).filter(({ kind }) => kind === "answer")).toHaveLength(1);
});
