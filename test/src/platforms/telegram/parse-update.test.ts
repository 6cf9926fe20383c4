import { expect, it } from "vitest";
import {
  BOB,
  BOT,
  CHANNEL,
  GROUP,
  PRIVATE,
  groupMessage,
  message,
  receive,
  receiveBody,
} from "../../../support/telegram/updates";

it("reads a private message", async () => {
  expect(await receive(message({ text: "  hello there " }))).toEqual({
    kind: "message",
    eventId: "81",
    dedupeKeys: ["70"],
    chatId: "5550001",
    chatType: "dm",
    target: { chatId: "5550001" },
    userId: "5550001",
    userName: "Bob Bell",
    isFromBot: false,
    text: "hello there",
    rawText: "  hello there ",
    messageId: "70",
    mentionsBot: false,
    replyToBot: false,
    addressed: true,
    attachments: [],
    at: 1_782_899_990_000,
  });
});

it("keeps ids that no number can hold", async () => {
  const body = `{"update_id":9007199254740993,"message":{"message_id":70,"date":1,"from":{"id":9007199254740995},"chat":{"id":-9007199254740997,"type":"group"},"text":"hi 9007199254740999"}}`;
  const [event] = await receiveBody(body);
  expect(event).toMatchObject({
    eventId: "9007199254740993",
    userId: "9007199254740995",
    chatId: "-9007199254740997",
    text: "hi 9007199254740999",
  });
});

it("counts a mention's place in UTF-16 units", async () => {
  const text = "👩‍💻👋 @Acme_Agent_Bot how is it?";
  const entities = [{ type: "mention", offset: text.indexOf("@"), length: 15 }];
  expect(await receive(groupMessage({ text, entities }))).toMatchObject({
    text: "👩‍💻👋 how is it?",
    mentionsBot: true,
    addressed: true,
    chatType: "group",
    target: { chatId: "-1001234567890", replyTo: "70" },
  });
});

it("leaves the mention of somebody else alone", async () => {
  const entities = [{ type: "mention", offset: 0, length: 6 }];
  expect(await receive(groupMessage({ text: "@other hi", entities }))).toMatchObject({
    text: "@other hi",
    mentionsBot: false,
    addressed: false,
  });
});

it("knows itself by id in a mention without a name", async () => {
  const entities = [{ type: "text_mention", offset: 3, length: 4, user: BOT }];
  expect(await receive(groupMessage({ text: "hi Acme, go", entities }))).toMatchObject({
    text: "hi , go",
    mentionsBot: true,
  });
});

it.each([
  [{ offset: -1, length: 5 }],
  [{ offset: 2, length: 900 }],
  [{ offset: "0", length: 3 }],
  [{ offset: 0.5, length: 2 }],
  [{}],
  [null],
])("bears the entity %j", async (entity) => {
  const entities = [entity === null ? null : { type: "text_mention", user: BOT, ...entity }];
  expect(await receive(groupMessage({ text: "hello", entities }))).toMatchObject({ kind: "message", text: "hello" });
});

it.each([
  ["/status", "status", "", false],
  ["/Status@acme_agent_bot  prod eu ", "status", "prod eu", true],
  ["/status@ACME_AGENT_BOT", "status", "", true],
  ["/new-chat a\nb", "new-chat", "a\nb", false],
])("reads the command %j", async (text, name, args, mentionsBot) => {
  expect(await receive(groupMessage({ text }))).toMatchObject({
    kind: "command",
    command: { name, args },
    text: args,
    mentionsBot,
    addressed: true,
  });
});

it("reads a command that a sentence mark follows, as Telegram marks it", async () => {
  const entities = [{ type: "bot_command", offset: 0, length: 7 }];
  expect(await receive(message({ text: "/status, please", entities }))).toMatchObject({
    command: { name: "status", args: ", please" },
  });
});

it.each(["/usr/bin is full", "see /status", "/ hm"])("takes %j for no command", async (text) => {
  expect(await receive(message({ text }))).toMatchObject({ kind: "message", text });
});

it("ignores a command for another bot", async () => {
  const event = await receive(groupMessage({ text: "/status@other_bot now" }));
  expect(event).toMatchObject({ kind: "ignored", text: "/status@other_bot now", addressed: false });
  expect(event.command).toBeUndefined();
});

it("reads the reply to a message of the bot, and its text", async () => {
  const reply_to_message = { message_id: 66, from: BOT, chat: GROUP, date: 1, text: "Build 42 is green." };
  expect(await receive(groupMessage({ text: "and before?", reply_to_message }))).toMatchObject({
    replyTo: "66",
    replyToBot: true,
    replyToText: "Build 42 is green.",
    addressed: true,
  });
});

it("prefers the words that a person quoted", async () => {
  const reply_to_message = { message_id: 66, from: BOB, chat: GROUP, date: 1, caption: "long" };
  expect(
    await receive(groupMessage({ text: "?", reply_to_message, quote: { text: "part", position: 0 } })),
  ).toMatchObject({
    replyTo: "66",
    replyToBot: false,
    replyToText: "part",
    addressed: false,
  });
});

it("takes a forum topic for a thread, and its opening message for no reply", async () => {
  const topic = { message_thread_id: 12, is_topic_message: true };
  const reply_to_message = { message_id: 12, from: BOT, chat: GROUP, date: 1, forum_topic_created: { name: "Ops" } };
  const event = await receive(groupMessage({ text: "hi", ...topic, reply_to_message }));
  expect(event).toMatchObject({ chatType: "thread", threadId: "12", target: { threadId: "12" }, replyToBot: false });
  expect(event.replyTo).toBeUndefined();
});

it("takes the thread id of an ordinary reply for none", async () => {
  const event = await receive(
    groupMessage({ text: "hi", message_thread_id: 66, reply_to_message: { message_id: 66, from: BOB } }),
  );
  expect(event.threadId).toBeUndefined();
  expect(event).toMatchObject({ chatType: "group", replyTo: "66" });
});

it("keeps a topic of a private chat a private chat", async () => {
  expect(await receive(message({ text: "on", message_thread_id: 9, is_topic_message: true }))).toMatchObject({
    chatType: "dm",
    threadId: "9",
    addressed: true,
    target: { chatId: "5550001", threadId: "9" },
  });
});

it("gives every edit a key of its own", async () => {
  const edited = { message_id: 70, from: BOB, chat: PRIVATE, date: 1_782_899_990, text: "/new words" };
  const event = await receive({ edited_message: { ...edited, edit_date: 1_782_899_999 } });
  expect(event).toMatchObject({
    kind: "edited_message",
    messageId: "70",
    dedupeKeys: ["70:e1782899999"],
    at: 1_782_899_999_000,
  });
  expect(event.command).toBeUndefined();
});

it("reads a post of a channel", async () => {
  const post = {
    message_id: 8,
    chat: CHANNEL,
    sender_chat: CHANNEL,
    author_signature: "Eve",
    date: 1_782_899_990,
    text: "news",
  };
  expect(await receive({ channel_post: post })).toMatchObject({
    kind: "message",
    chatType: "channel",
    chatTitle: "Acme News",
    userId: "-1009876543210",
    userName: "Eve",
    isFromBot: false,
    addressed: false,
  });
});

it("takes an anonymous admin for a person", async () => {
  const from = { id: 1087968824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
  expect(await receive(groupMessage({ text: "hi", from, sender_chat: GROUP }))).toMatchObject({
    kind: "message",
    userId: "-1001234567890",
    isFromBot: false,
  });
});

it.each([[BOT], [{ id: 1, is_bot: true, first_name: "Other" }]])("ignores what the bot %j says", async (from) => {
  expect(await receive(groupMessage({ text: "hi", from }))).toMatchObject({
    kind: "ignored",
    isFromBot: true,
    text: "hi",
  });
});

it.each([
  [
    {
      photo: [
        { file_id: "s", width: 67, height: 90 },
        { file_id: "l", width: 956, height: 1280, file_size: 9 },
      ],
    },
    { kind: "image", id: "l", mime: "image/jpeg", size: 9 },
  ],
  [
    { document: { file_id: "d", file_name: "a.pdf", mime_type: "application/pdf" } },
    { kind: "file", id: "d", name: "a.pdf", mime: "application/pdf" },
  ],
  [
    { animation: { file_id: "g", mime_type: "video/mp4" }, document: { file_id: "g" } },
    { kind: "video", id: "g", mime: "video/mp4" },
  ],
  [{ voice: { file_id: "v" } }, { kind: "voice", id: "v", mime: "audio/ogg" }],
  [{ audio: { file_id: "a", mime_type: "audio/flac" } }, { kind: "audio", id: "a", mime: "audio/flac" }],
  [{ video: { file_id: "m" } }, { kind: "video", id: "m", mime: "video/mp4" }],
  [{ video_note: { file_id: "n" } }, { kind: "video", id: "n", mime: "video/mp4" }],
  [{ sticker: { file_id: "t" } }, { kind: "sticker", id: "t", mime: "image/webp" }],
  [{ sticker: { file_id: "t", is_video: true } }, { kind: "sticker", id: "t", mime: "video/webm" }],
  [{ location: { latitude: 45.5, longitude: -9.25 } }, { kind: "location", url: "geo:45.5,-9.25" }],
  [
    {
      venue: { title: "Bar", address: "Via 1", location: { latitude: 1, longitude: 2 } },
      location: { latitude: 1, longitude: 2 },
    },
    { kind: "location", url: "geo:1,2", name: "Bar, Via 1" },
  ],
])("reads the attachment of %j", async (fields, attachment) => {
  expect((await receive(message({ ...fields, caption: "see" }))).attachments).toEqual([attachment]);
});

it("reads a caption like a text, and which album it belongs to", async () => {
  const caption = "@acme_agent_bot which?";
  const event = await receive(
    groupMessage({
      caption,
      caption_entities: [{ type: "mention", offset: 0, length: 15 }],
      media_group_id: "13",
      photo: [{ file_id: "p" }],
    }),
  );
  expect(event).toMatchObject({ text: "which?", rawText: caption, mentionsBot: true, mediaGroupId: "13" });
});

it.each([
  [{ contact: { first_name: "Al", phone_number: "+49123" } }, "Contact: Al +49123"],
  [
    {
      checklist: {
        title: "Trip",
        tasks: [
          { id: 1, text: "tent" },
          { id: 2, text: "map" },
        ],
      },
    },
    "Checklist: Trip\n- tent\n- map",
  ],
  [{ poll: { question: "Lunch?", options: [{ text: "yes" }, { text: "no" }] } }, "Poll: Lunch?\n- yes\n- no"],
  [{ dice: { emoji: "🎯", value: 6 } }, "🎯 6"],
])("says %j in words", async (fields, text) => {
  expect(await receive(message(fields))).toMatchObject({ kind: "message", text });
});

it("says when a text may go on in the next message", async () => {
  expect((await receive(message({ text: "x".repeat(4000) }))).nearSplitLimit).toBe(true);
  expect((await receive(message({ text: "x".repeat(3999) }))).nearSplitLimit).toBeUndefined();
});
