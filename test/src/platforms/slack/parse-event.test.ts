import { expect, it } from "vitest";
import { ACCOUNT, receive, receiveEvent } from "#test/support/slack-request";

const REACTION = {
  type: "reaction_added",
  user: "U0ALICE",
  reaction: "thumbsup",
  item: { type: "message", channel: "C0GENERAL", ts: "1782899991.000700" },
  item_user: "U0BOT",
  event_ts: "1782899999.000800",
};

it("reads a reaction as one to its message", async () => {
  expect(await receiveEvent(REACTION)).toMatchObject({
    kind: "reaction_added",
    chatId: "C0GENERAL",
    userId: "U0ALICE",
    messageId: "1782899991.000700",
    reaction: { emoji: "thumbsup" },
    addressed: false,
  });
});

it("tells taking a reaction back from giving it", async () => {
  const removed = await receiveEvent({ ...REACTION, type: "reaction_removed" });
  const added = await receiveEvent(REACTION);
  expect(removed.kind).toBe("reaction_removed");
  expect(removed.dedupeKeys).not.toEqual(added.dedupeKeys);
});

it.each([
  ["of our own", { user: "U0BOT" }],
  ["to a file", { item: { type: "file", file: "F1" } }],
])("ignores a reaction %s", async (_, changes) => {
  expect((await receiveEvent({ ...REACTION, ...changes })).kind).toBe("ignored");
});

it("reads who joined a channel", async () => {
  const event = { type: "member_joined_channel", user: "U0CAROL", channel: "C0GENERAL", event_ts: "1782899999.000900" };
  expect(await receiveEvent(event)).toMatchObject({ kind: "member_joined", userId: "U0CAROL", chatId: "C0GENERAL" });
});

const MENTION = { type: "message", channel: "C1", channel_type: "channel", user: "U1", ts: "1.000001" };

it("knows itself by its setting before what an event says", async () => {
  const body = { type: "event_callback", event: { ...MENTION, text: "<@U0SET> hi" } };
  const account = { settings: { ...ACCOUNT.settings, bot_user_id: "U0SET" } };
  const { events } = await receive(JSON.stringify(body), "application/json", account);
  expect(events[0]).toMatchObject({ mentionsBot: true, text: "hi" });
});

it("knows itself by the installation of its own workspace", async () => {
  const authorizations = [
    { team_id: "T0OTHER", user_id: "U0OTHER", is_bot: true },
    { team_id: "T0ACME", user_id: "U0ADMIN", is_bot: false },
    { team_id: "T0ACME", user_id: "U0BOT", is_bot: true },
  ];
  const body = { type: "event_callback", authorizations, event: { ...MENTION, text: "<@U0BOT> hi" } };
  const account = { settings: { ...ACCOUNT.settings, team_id: "T0ACME" } };
  const { events } = await receive(JSON.stringify(body), "application/json", account);
  expect(events[0]?.mentionsBot).toBe(true);
});
