import * as fc from "fast-check";
import { expect, it } from "vitest";
import { GatewayError } from "#src/domain/errors";
import {
  BOB,
  BOT,
  CHANNEL,
  GROUP,
  NOW,
  PRIVATE,
  groupMessage,
  message,
  receive,
  receiveBody,
} from "../../../support/telegram/updates";

it("reads a press on a button", async () => {
  const pressed = {
    message_id: 90,
    from: BOT,
    chat: GROUP,
    date: 1,
    message_thread_id: 12,
    is_topic_message: true,
    text: "Deploy?",
  };
  expect(await receive({ callback_query: { id: "176612345", from: BOB, message: pressed, data: "ap:1" } })).toEqual({
    kind: "button",
    eventId: "81",
    dedupeKeys: ["callback:176612345"],
    chatId: "-1001234567890",
    chatType: "thread",
    threadId: "12",
    chatTitle: "Acme Ops",
    target: { chatId: "-1001234567890", threadId: "12" },
    userId: "5550001",
    userName: "Bob Bell",
    isFromBot: false,
    text: "",
    rawText: "",
    messageId: "90",
    mentionsBot: false,
    replyToBot: false,
    addressed: true,
    attachments: [],
    action: { id: "ap:1", value: "ap:1", callbackId: "176612345" },
    at: NOW,
  });
});

it.each([
  [{ id: "1", from: BOB, inline_message_id: "x", data: "a" }],
  [{ id: "1", from: BOB, message: { message_id: 1, chat: PRIVATE, date: 0 }, game_short_name: "g" }],
])("ignores the press %j, which has nowhere to go", async (callback_query) => {
  expect(await receive({ callback_query })).toMatchObject({ kind: "ignored", userId: "5550001" });
});

it("tells which reactions came and which went", async () => {
  const emoji = (name: string): object => ({ type: "emoji", emoji: name });
  const message_reaction = {
    chat: GROUP,
    message_id: 66,
    user: BOB,
    date: 1_782_899_999,
    old_reaction: [emoji("👍"), emoji("🔥")],
    new_reaction: [emoji("🔥"), { type: "custom_emoji", custom_emoji_id: "541" }],
  };
  const events = await receiveBody(JSON.stringify({ update_id: 82, message_reaction }));
  expect(
    events.map(({ kind, reaction, messageId, addressed }) => [kind, reaction?.emoji, messageId, addressed]),
  ).toEqual([
    ["reaction_added", "541", "66", false],
    ["reaction_removed", "👍", "66", false],
  ]);
  expect(new Set(events.flatMap(({ dedupeKeys }) => dedupeKeys)).size).toBe(2);
});

it("hears of somebody who joined once, though Telegram tells it twice", async () => {
  const user = { id: 42, is_bot: false, first_name: "Al" };
  const service = await receive(groupMessage({ new_chat_members: [user], date: 1_782_899_990 }));
  const chat_member = {
    chat: GROUP,
    from: BOB,
    date: 1_782_899_990,
    old_chat_member: { status: "left", user },
    new_chat_member: { status: "member", user },
  };
  const update = await receive({ chat_member });
  expect(service).toMatchObject({ kind: "member_joined", userId: "42", userName: "Al" });
  expect(update).toMatchObject({ kind: "member_joined", userId: "42" });
  expect(service.dedupeKeys).toContain(update.dedupeKeys[0]);
});

it("says who let the bot itself into a group", async () => {
  const my_chat_member = {
    chat: GROUP,
    from: BOB,
    date: 1_782_899_990,
    old_chat_member: { status: "left", user: BOT },
    new_chat_member: { status: "member", user: BOT },
  };
  const update = await receive({ my_chat_member });
  expect(update).toMatchObject({ kind: "member_joined", userId: String(BOB.id), isFromBot: false });
  const service = await receive(groupMessage({ from: BOB, new_chat_members: [BOT], date: 1_782_899_990 }));
  expect(service).toMatchObject({ kind: "member_joined", userId: String(BOB.id) });
  expect(service.dedupeKeys).toContain(update.dedupeKeys[0]);
});

it.each([
  [
    "a group that became a supergroup",
    message({ chat: { id: -77, type: "group" }, migrate_to_chat_id: -1001234567890 }),
  ],
  ["a pinned message", groupMessage({ pinned_message: { message_id: 3 } })],
  [
    "a new topic",
    groupMessage({ forum_topic_created: { name: "Ops" }, message_thread_id: 12, is_topic_message: true }),
  ],
  [
    "a block",
    {
      my_chat_member: {
        chat: PRIVATE,
        from: BOB,
        date: 1,
        old_chat_member: { status: "member", user: BOT },
        new_chat_member: { status: "kicked", user: BOT },
      },
    },
  ],
  ["counts of reactions", { message_reaction_count: { chat: CHANNEL, message_id: 8, date: 1, reactions: [] } }],
  ["a message for a business", { business_message: { message_id: 1, from: BOB, chat: PRIVATE, date: 1, text: "x" } }],
  ["what does not exist yet", { hologram: { from: BOB, chat: PRIVATE } }],
  ["nothing else", {}],
])("ignores %s", async (_what, update) => {
  expect(await receive(update)).toMatchObject({ kind: "ignored", eventId: "81", addressed: false });
});

it.each([
  "",
  "{",
  "null",
  "[]",
  "7",
  '"x"',
  "{}",
  '{"update_id":"abc"}',
  '{"update_id":1.5}',
  '{"update_id":null}',
  "[".repeat(100_000),
])("refuses %.20s, which is no update", async (body) => {
  await expect(receiveBody(body)).rejects.toMatchObject({ name: "GatewayError", code: "bad_request" });
});

it("never fails in another way, whatever an update holds", async () => {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(BOB, GROUP, [{ file_id: 1 }], [{ type: "mention", offset: 0, length: 1 }], "/a@b_bot", 1e300, -0),
  );
  const fields = [
    "message_id",
    "from",
    "chat",
    "date",
    "text",
    "caption",
    "entities",
    "photo",
    "document",
    "reply_to_message",
    "sender_chat",
    "new_chat_members",
    "message",
    "data",
    "id",
    "user",
    "old_reaction",
    "new_reaction",
    "new_chat_member",
    "location",
    "poll",
    "quote",
  ];
  const part = fc.dictionary(fc.constantFrom(...fields), junk);
  const kinds = [
    "message",
    "edited_message",
    "channel_post",
    "callback_query",
    "message_reaction",
    "chat_member",
    "other",
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), fc.oneof(part, junk), async (kind, value) => {
      const events = await receiveBody(JSON.stringify({ update_id: 1, [kind]: value })).catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === "bad_request") return [];
        throw error;
      });
      expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    }),
    { seed: 20_260_701, numRuns: 1000 },
  );
});
