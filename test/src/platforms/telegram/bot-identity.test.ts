import { expect, it } from "vitest";
import type { PlatformAccount } from "#src/domain/platform";
import { NOW, groupMessage, message, receive, telegramIo } from "../../../support/telegram/updates";

const MENTION = { text: "@acme_agent_bot hi", entities: [{ type: "mention", offset: 0, length: 15 }] };

/** An account without the bot's name; each test has a bot of its own, for names are remembered. */
function nameless(botId: number): PlatformAccount {
  return { settings: { bot_token: `${botId}:AAF-not-a-token`, webhook_secret_token: "hook-Secret_1" } };
}

it("asks for the bot's name once", async () => {
  const asked: string[] = [];
  const io = telegramIo((url) => {
    asked.push(url);
    return Response.json({ ok: true, result: { id: 1, username: "Acme_Agent_Bot" } });
  });
  expect(await receive(groupMessage(MENTION), nameless(1), io)).toMatchObject({ text: "hi", mentionsBot: true });
  expect(await receive(groupMessage({ text: "/x@other_bot" }), nameless(1), io)).toMatchObject({ kind: "ignored" });
  expect(asked).toEqual(["https://api.telegram.org/bot1:AAF-not-a-token/getMe"]);
});

it("asks nothing for messages that need no name", async () => {
  expect(await receive(message(MENTION), nameless(2))).toMatchObject({ kind: "message", text: "@acme_agent_bot hi" });
  expect(await receive(groupMessage({ text: "/status" }), nameless(2))).toMatchObject({ kind: "command" });
  expect(await receive(groupMessage({ text: "hi" }), nameless(2))).toMatchObject({ addressed: false });
});

it("takes every bot's name for its own while it cannot learn it, and asks again a minute later", async () => {
  let asked = 0;
  let now = NOW;
  const io = {
    ...telegramIo(() => {
      asked += 1;
      return new Response("down", { status: 503 });
    }),
    now: () => now,
  };
  expect(await receive(groupMessage(MENTION), nameless(3), io)).toMatchObject({ mentionsBot: true });
  expect(await receive(groupMessage({ text: "/x@any_bot" }), nameless(3), io)).toMatchObject({ kind: "command" });
  expect(asked).toBe(1);
  now += 61_000;
  await receive(groupMessage(MENTION), nameless(3), io);
  expect(asked).toBe(2);
});

it("takes the bot's id from its token", async () => {
  const entities = [{ type: "text_mention", offset: 0, length: 2, user: { id: 4 } }];
  expect(await receive(groupMessage({ text: "Al hi", entities }), nameless(4))).toMatchObject({ mentionsBot: true });
  const renamed = { settings: { ...nameless(4).settings, bot_user_id: "5" } };
  expect(await receive(groupMessage({ text: "Al hi", entities }), renamed)).toMatchObject({ mentionsBot: false });
});
