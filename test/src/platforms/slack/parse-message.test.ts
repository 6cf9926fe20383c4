import { expect, it } from "vitest";
import { receiveEvent } from "#test/support/slack-request";

const IN_DM = { type: "message", channel: "D0ALICE", channel_type: "im", user: "U0ALICE", ts: "1782899998.000100" };
const IN_CHANNEL = { ...IN_DM, channel: "C0GENERAL", channel_type: "channel", ts: "1782899990.000200" };

it("reads a direct message as addressed, with its entities unescaped", async () => {
  expect(await receiveEvent({ ...IN_DM, text: "Is 3 &lt; 5 &amp;&amp; 7 &gt; 2?" })).toMatchObject({
    kind: "message",
    eventId: "Ev1",
    dedupeKeys: ["D0ALICE:1782899998.000100"],
    chatId: "D0ALICE",
    chatType: "dm",
    userId: "U0ALICE",
    text: "Is 3 < 5 && 7 > 2?",
    rawText: "Is 3 &lt; 5 &amp;&amp; 7 &gt; 2?",
    messageId: "1782899998.000100",
    addressed: true,
    mentionsBot: false,
    isFromBot: false,
    target: { chatId: "D0ALICE" },
    at: 1_782_899_998_000,
  });
});

it("answers a mention in a channel in a thread that the mention opens", async () => {
  const event = { ...IN_CHANNEL, type: "app_mention", channel_type: undefined, text: "<@U0BOT> ask <@U0CAROL>" };
  expect(await receiveEvent(event)).toMatchObject({
    kind: "message",
    chatType: "channel",
    opensThread: "1782899990.000200",
    text: "ask <@U0CAROL>",
    mentionsBot: true,
    addressed: true,
    target: { chatId: "C0GENERAL", threadId: "1782899990.000200" },
  });
});

it.each(["channel", "group", "mpim"])("reads both copies of a mention in a %s as one", async (channelType) => {
  const text = "<@U0BOT> status?";
  const mention = await receiveEvent({ ...IN_CHANNEL, type: "app_mention", channel_type: undefined, text });
  const message = await receiveEvent({ ...IN_CHANNEL, channel_type: channelType, text }, { event_id: "Ev2" });
  expect(message.dedupeKeys).toEqual(mention.dedupeKeys);
  expect(message).toMatchObject({ opensThread: mention.opensThread, addressed: true, target: mention.target });
});

it("leaves a channel's talk alone when nobody calls the bot", async () => {
  const event = await receiveEvent({ ...IN_CHANNEL, text: "lunch?" });
  expect(event).toMatchObject({ kind: "message", addressed: false, target: { chatId: "C0GENERAL" } });
  expect(event).not.toHaveProperty("opensThread");
});

it("keeps a reply in its thread", async () => {
  const event = { ...IN_CHANNEL, ts: "1782899995.000300", thread_ts: "1782899990.000200", text: "and the cost?" };
  const reply = await receiveEvent({ ...event, parent_user_id: "U0ALICE" });
  expect(reply).toMatchObject({
    chatType: "thread",
    threadId: "1782899990.000200",
    addressed: false,
    replyToBot: false,
    target: { chatId: "C0GENERAL", threadId: "1782899990.000200" },
  });
  expect(reply).not.toHaveProperty("opensThread");
});

it("is addressed by a reply in a thread that the bot began", async () => {
  const event = { ...IN_CHANNEL, ts: "1782899995.000300", thread_ts: "1782899990.000200", parent_user_id: "U0BOT" };
  expect(await receiveEvent({ ...event, text: "thanks" })).toMatchObject({ replyToBot: true, addressed: true });
});

it("stays a direct message within a thread of one", async () => {
  const event = { ...IN_DM, ts: "1782899999.000900", thread_ts: "1782899998.000100", text: "more" };
  expect(await receiveEvent(event)).toMatchObject({ chatType: "dm", threadId: "1782899998.000100" });
});

it("reads the root of a thread as a root", async () => {
  const event = await receiveEvent({ ...IN_CHANNEL, thread_ts: IN_CHANNEL.ts, text: "root" });
  expect(event.chatType).toBe("channel");
  expect(event).not.toHaveProperty("threadId");
});

it("reads a conversation of several people as a group", async () => {
  expect(await receiveEvent({ ...IN_CHANNEL, channel_type: "mpim", text: "hi all" })).toMatchObject({
    chatType: "group",
    addressed: false,
  });
});

it.each(["file_share", "thread_broadcast", "me_message"])("hears people under the subtype %s", async (subtype) => {
  expect(await receiveEvent({ ...IN_DM, subtype, text: "hello" })).toMatchObject({ kind: "message", text: "hello" });
});

it.each(["channel_join", "channel_topic", "pinned_item", "message_replied"])(
  "ignores the notice %s",
  async (subtype) => {
    expect((await receiveEvent({ ...IN_DM, subtype, text: "x" })).kind).toBe("ignored");
  },
);

it("takes what is written in the app's home as a direct message", async () => {
  expect(await receiveEvent({ ...IN_DM, channel_type: "app_home", text: "hi" })).toMatchObject({
    kind: "message",
    chatType: "dm",
    addressed: true,
  });
});

it.each([
  ["of our own", { user: "U0BOT", text: "done" }],
  ["of our own app", { app_id: "A0ACME", text: "done" }],
  ["of another bot", { bot_id: "B0OTHER", user: "U0OTHER", text: "<@U0BOT> hello" }],
  ["of an old integration", { subtype: "bot_message", user: undefined, bot_id: "B1", text: "build ok" }],
  ["of Slackbot", { user: "USLACKBOT", text: "hi" }],
])("does not listen to a message %s", async (_, changes) => {
  expect(await receiveEvent({ ...IN_DM, ...changes })).toMatchObject({
    kind: "ignored",
    isFromBot: true,
    addressed: false,
  });
});

it("lists the files of a message by the address that gives their bytes", async () => {
  const file = {
    id: "F0REPORT",
    name: "report.pdf",
    mimetype: "application/pdf",
    size: 482_133,
    mode: "hosted",
    url_private: "https://files.slack.com/files-pri/T-F/report.pdf",
    url_private_download: "https://files.slack.com/files-pri/T-F/download/report.pdf",
  };
  const event = await receiveEvent({ ...IN_DM, subtype: "file_share", text: "please review", files: [file] });
  expect(event.attachments).toEqual([
    {
      kind: "file",
      id: "F0REPORT",
      url: "https://files.slack.com/files-pri/T-F/download/report.pdf",
      mime: "application/pdf",
      name: "report.pdf",
      size: 482_133,
    },
  ]);
});

it.each([
  [{ mimetype: "image/png" }, "image"],
  [{ mimetype: "audio/mp4" }, "audio"],
  [{ mimetype: "audio/mp4", subtype: "slack_audio" }, "voice"],
  [{ mimetype: "video/mp4" }, "video"],
  [{ mimetype: "text/plain" }, "file"],
  [{}, "file"],
])("takes the file %j for a %s", async (file, kind) => {
  const event = await receiveEvent({ ...IN_DM, files: [{ id: "F1", ...file }] });
  expect(event.attachments.map((one) => one.kind)).toEqual([kind]);
});

it("says why a deleted file cannot be read", async () => {
  const event = await receiveEvent({ ...IN_DM, files: [{ id: "F1", mode: "tombstone" }] });
  expect(event.attachments[0]?.problem).toBe("the file was deleted");
});

const EDIT = {
  type: "message",
  subtype: "message_changed",
  channel: "D0ALICE",
  channel_type: "im",
  ts: "1782899999.000500",
  previous_message: { type: "message", user: "U0ALICE", ts: IN_DM.ts, text: "Is 3 &lt; 5?" },
};

it("reads an edit as one of the message, told from other edits by its time", async () => {
  const edited = { ts: "1782899999.000000", user: "U0ALICE" };
  const message = { type: "message", user: "U0ALICE", ts: IN_DM.ts, text: "Is 3 &lt; 6?", edited };
  expect(await receiveEvent({ ...EDIT, message })).toMatchObject({
    kind: "edited_message",
    text: "Is 3 < 6?",
    messageId: IN_DM.ts,
    userId: "U0ALICE",
    dedupeKeys: ["D0ALICE:1782899998.000100:1782899999.000000"],
  });
});

it("ignores a change that left the text as it was", async () => {
  const message = { type: "message", user: "U0ALICE", ts: IN_DM.ts, text: "Is 3 &lt; 5?", attachments: [{ id: 1 }] };
  expect((await receiveEvent({ ...EDIT, message })).kind).toBe("ignored");
});

it("ignores the edits that the bot makes while its answer grows", async () => {
  const message = { type: "message", user: "U0BOT", bot_id: "B0BOT", ts: IN_DM.ts, text: "Thinking about it" };
  expect(await receiveEvent({ ...EDIT, message })).toMatchObject({ kind: "ignored", isFromBot: true });
});

it("brings the edit of a mention to the thread that the mention opened, also when it takes the mention out", async () => {
  const message = { user: "U0ALICE", ts: "1.000100", text: "never mind" };
  const previous = { ...message, text: "<@U0BOT> status" };
  const event = { ...EDIT, channel: "C0GENERAL", channel_type: "channel", message, previous_message: previous };
  expect(await receiveEvent(event)).toMatchObject({ opensThread: "1.000100", mentionsBot: false, addressed: false });
});

it("reads a deletion", async () => {
  const previous = { user: "U0ALICE", ts: "1.000100", thread_ts: "1.000001", text: "oops" };
  const event = { type: "message", subtype: "message_deleted", channel: "C1", channel_type: "channel", ts: "2.000001" };
  expect(await receiveEvent({ ...event, deleted_ts: "1.000100", previous_message: previous })).toMatchObject({
    kind: "message_deleted",
    messageId: "1.000100",
    threadId: "1.000001",
    userId: "U0ALICE",
    dedupeKeys: ["C1:1.000100:deleted"],
  });
});

it("reads the stone that a deleted root leaves as its deletion", async () => {
  const message = { subtype: "tombstone", user: "USLACKBOT", ts: IN_DM.ts, text: "This message was deleted." };
  expect(await receiveEvent({ ...EDIT, message })).toMatchObject({ kind: "message_deleted", messageId: IN_DM.ts });
});

const FORWARDED = {
  is_share: true,
  is_msg_unfurl: true,
  author_name: "Bob",
  text: "db-1 &lt;down&gt;\nsince 9:00",
  files: [{ id: "F1", name: "graph.png", mimetype: "image/png" }],
};

it("reads a message that was forwarded, alone or with words about it", async () => {
  const quoted = "Forwarded from Bob:\n> db-1 <down>\n> since 9:00";
  const alone = await receiveEvent({ ...IN_DM, text: "", attachments: [FORWARDED] });
  expect(alone).toMatchObject({
    kind: "message",
    text: quoted,
    rawText: "",
    attachments: [{ kind: "image", id: "F1" }],
  });
  const event = { ...IN_CHANNEL, text: "<@U0BOT> look", attachments: [FORWARDED, { is_share: true }] };
  expect(await receiveEvent(event)).toMatchObject({ text: `look\n\n${quoted}`, mentionsBot: true });
});

it("is not called by a message that was forwarded, nor adds what Slack shows of a link", async () => {
  const attachments = [{ ...FORWARDED, text: "<@U0BOT> run it" }];
  expect(await receiveEvent({ ...IN_CHANNEL, text: "see", attachments })).toMatchObject({ addressed: false });
  const preview = { ...FORWARDED, is_share: undefined };
  expect(await receiveEvent({ ...IN_DM, text: "see", attachments: [preview] })).toMatchObject({
    text: "see",
    attachments: [],
  });
});
