import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, openWorld, operator, postTelegram } from "../support/world";
import { configure } from "./session-driver";
import { until } from "../support/until";

const BOT = { id: 7_900_000_001, is_bot: true, first_name: "Talaria" };

let world: World;
let messageId = 1;
beforeEach(() => {
  world = openWorld();
  world.say = () => ({ text: "yes?" });
});
afterEach(async () => {
  await configure({ "groups.require_mention": null, "groups.sessions": null });
  vi.restoreAllMocks();
});

async function write(
  group: number,
  person: number,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const chat = { id: group, type: "supergroup", title: "Friends" };
  const from = { id: person, is_bot: false, first_name: `Person ${person}` };
  const response = await postTelegram({
    message: { message_id: messageId++, from, chat, date: 1_790_000_000, text, ...more },
  });
  expect(response.status).toBe(200);
}

/** What makes a message one to the agent: a reply to a message of its own. */
function toBot(group: number): Readonly<Record<string, unknown>> {
  return {
    reply_to_message: { message_id: 900, from: BOT, chat: { id: group, type: "supergroup" }, date: 1, text: "hm" },
  };
}

async function answers(group: number, count: number): Promise<void> {
  await until(() => expect(world.textsOf(group)).toHaveLength(count));
}

async function linesOf(key: string): Promise<string[]> {
  const response = await operator(`/api/sessions/${encodeURIComponent(key)}/messages`);
  return (await response.json<{ messages: { content: string }[] }>()).messages.map(({ content }) => content);
}

it("hears nothing that nobody addressed to it", async () => {
  await write(-77_001, 7005, "just talking");
  await write(-77_001, 7005, "hey you", toBot(-77_001));
  await answers(-77_001, 1);
  expect(await linesOf("main:telegram:group:-77001:u=7005")).toEqual(["hey you", "yes?"]);
});

it("hears everything when no mention is required", async () => {
  await configure({ "groups.require_mention": false });
  await write(-77_002, 7005, "just talking");
  await answers(-77_002, 1);
});

it("leaves strangers of a group without any answer", async () => {
  await write(-77_003, 666, "hey you", toBot(-77_003));
  await write(-77_003, 7005, "hey you", toBot(-77_003));
  await answers(-77_003, 1);
  expect(world.asked).toHaveLength(1);
  expect(await linesOf("main:telegram:group:-77003:u=666")).toEqual([]);
});

it("keeps a conversation for each person of a group", async () => {
  await write(-77_004, 7005, "I am Ada", toBot(-77_004));
  await answers(-77_004, 1);
  await write(-77_004, 7006, "who am I?", toBot(-77_004));
  await answers(-77_004, 2);
  expect(
    world.asked
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
  ).not.toContain("I am Ada");
});

it("shares the conversation of a topic, and says who speaks", async () => {
  const topic = { is_topic_message: true, message_thread_id: 5 };
  await write(-77_005, 7005, "I am Ada", { ...topic, ...toBot(-77_005) });
  await answers(-77_005, 1);
  // once the agent is part of a topic, it need not be addressed there
  await write(-77_005, 7006, "and I am Bo", topic);
  await answers(-77_005, 2);
  expect(JSON.stringify(world.asked.at(-1)?.messages)).toMatch(/\[Person 7005\] I am Ada.*\[Person 7006\] and I am Bo/);
});

it("stays out of a topic that it is not part of", async () => {
  await write(-77_006, 7005, "just talking", { is_topic_message: true, message_thread_id: 6 });
  await write(-77_006, 7005, "hey you", { is_topic_message: true, message_thread_id: 7, ...toBot(-77_006) });
  await answers(-77_006, 1);
  expect(await linesOf("main:telegram:thread:-77006:t=6")).toEqual([]);
});
