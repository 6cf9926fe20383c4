import { expect, it } from "vitest";
import type { PlatformClient } from "#src/domain/platform";
import { openSlack } from "#src/platforms/slack/client";
import { ACCOUNT, slackIo } from "#test/support/slack-request";

interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** A client whose Slack gives these answers in turn, and the calls that it got. */
function slackThatAnswers(...answers: readonly (object | Response | Error)[]): {
  client: PlatformClient;
  calls: Call[];
} {
  const calls: Call[] = [];
  const io = slackIo((url, init) => {
    const headers = new Headers(init.headers);
    const body = typeof init.body === "string" ? init.body : "";
    const isJson = headers.get("content-type")?.startsWith("application/json") === true;
    const args = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    calls.push({ method: url.replace("https://slack.com/api/", ""), args, headers });
    const answer = answers[calls.length - 1] ?? { ok: true };
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json(answer);
  });
  return { client: openSlack(ACCOUNT, io), calls };
}

const TARGET = { chatId: "C0GENERAL", threadId: "1.000200" };
const OPTIONS = { key: "turn-7.0", signal: new AbortController().signal };

it("sends a message to its thread with the key that finds it again", async () => {
  const { client, calls } = slackThatAnswers({ ok: true, ts: "2.000100", channel: "C0GENERAL" });
  expect(await client.send(TARGET, { markdown: "**hi** <@U1>" }, OPTIONS)).toEqual({ messageId: "2.000100" });
  expect(calls).toMatchObject([
    {
      method: "chat.postMessage",
      args: {
        channel: "C0GENERAL",
        thread_ts: "1.000200",
        text: "*hi* &lt;@U1&gt;",
        unfurl_links: false,
        metadata: { event_type: "talaria_delivery", event_payload: { key: "turn-7.0" } },
      },
    },
  ]);
  expect(calls[0]?.headers.get("authorization")).toBe("Bearer xoxb-test-not-real");
});

it("sends a direct message to no thread", async () => {
  const { client, calls } = slackThatAnswers({ ok: true, ts: "2.000100" });
  await client.send({ chatId: "D0ALICE" }, { markdown: "hi" }, OPTIONS);
  expect(calls[0]?.args).not.toHaveProperty("thread_ts");
  expect(calls[0]?.args).not.toHaveProperty("blocks");
});

it("edits a message and takes its buttons away", async () => {
  const { client, calls } = slackThatAnswers({ ok: true });
  await client.edit?.(TARGET, "2.000100", { markdown: "done" }, OPTIONS);
  expect(calls).toMatchObject([
    { method: "chat.update", args: { channel: "C0GENERAL", ts: "2.000100", text: "done", blocks: [] } },
  ]);
  expect(calls[0]?.args).not.toHaveProperty("metadata");
});

it.each([
  ["ratelimited", "rate_limited"],
  ["service_unavailable", "unavailable"],
  ["internal_error", "unconfirmed"],
  ["fatal_error", "unconfirmed"],
  ["channel_not_found", "refused"],
  ["msg_too_long", "refused"],
  ["invalid_auth", "refused"],
])("tells from the word %s that the send is %s", async (error, code) => {
  const { client } = slackThatAnswers({ ok: false, error });
  await expect(client.send(TARGET, { markdown: "hi" }, OPTIONS)).rejects.toMatchObject({
    code,
    message: `Slack refused chat.postMessage: ${error}.`,
  });
});

it("says which scope the app lacks", async () => {
  const { client } = slackThatAnswers({ ok: false, error: "missing_scope", needed: "chat:write" });
  await expect(client.send(TARGET, { markdown: "hi" }, OPTIONS)).rejects.toThrow("needs the scope chat:write");
});

it("waits as long as Slack asks", async () => {
  const headers = { "retry-after": "7" };
  const { client } = slackThatAnswers(Response.json({ ok: false, error: "ratelimited" }, { status: 429, headers }));
  await expect(client.send(TARGET, { markdown: "hi" }, OPTIONS)).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterMs: 7000,
  });
});

it.each([
  ["a cut connection", new Error("reset"), "unconfirmed"],
  ["an answer that is not Slack's", new Response("<html>", { status: 200 }), "unconfirmed"],
  ["a success without a message", Response.json({ ok: true }), "unconfirmed"],
  ["an outage", new Response("", { status: 503 }), "unavailable"],
  ["a redirect", new Response("", { status: 302, headers: { location: "https://evil.example" } }), "refused"],
])("tells after %s what is known of the send", async (_, answer, code) => {
  const { client } = slackThatAnswers(answer);
  await expect(client.send(TARGET, { markdown: "hi" }, OPTIONS)).rejects.toMatchObject({ code });
});

it("never quotes the token in an error", async () => {
  const { client } = slackThatAnswers(new Error("https://x/xoxb-test-not-real"));
  const error: unknown = await client.send(TARGET, { markdown: "hi" }, OPTIONS).catch((reason: unknown) => reason);
  expect(String(error)).not.toContain("xoxb");
});

it("does not open without a token", () => {
  expect(() => openSlack({ settings: {} }, slackIo())).toThrow("SLACK_BOT_TOKEN");
});

it("finds a message of ours in a thread by its key, on whatever page it is", async () => {
  const metadata = { event_type: "talaria_delivery", event_payload: { key: "turn-7.0" } };
  const { client, calls } = slackThatAnswers(
    { ok: true, messages: [{ ts: "1.000200", text: "hi" }], response_metadata: { next_cursor: "next" } },
    { ok: true, messages: [{ ts: "2.000100", metadata }] },
  );
  const found = await client.findSent?.(TARGET, "turn-7.0", { sinceMs: 1_782_900_000_000, signal: OPTIONS.signal });
  expect(found).toEqual({ messageId: "2.000100" });
  expect(calls[0]).toMatchObject({
    method: "conversations.replies",
    args: { ts: "1.000200", oldest: "1782900000.000000", include_all_metadata: "true" },
  });
  expect(calls[1]?.args["cursor"]).toBe("next");
});

it("finds nothing under another key or another app's metadata", async () => {
  const messages = [
    { ts: "2.1", metadata: { event_type: "talaria_delivery", event_payload: { key: "turn-8.0" } } },
    { ts: "2.2", metadata: { event_type: "other", event_payload: { key: "turn-7.0" } } },
  ];
  const { client, calls } = slackThatAnswers({ ok: true, messages });
  expect(await client.findSent?.({ chatId: "D1" }, "turn-7.0", { sinceMs: 0, signal: OPTIONS.signal })).toBeUndefined();
  expect(calls[0]?.method).toBe("conversations.history");
});

it("shows a status in a thread, and does not mind when Slack refuses", async () => {
  const { client, calls } = slackThatAnswers({ ok: false, error: "missing_scope" });
  await client.typing?.(TARGET, OPTIONS.signal);
  await client.typing?.({ chatId: "D1" }, OPTIONS.signal);
  expect(calls).toMatchObject([
    { method: "assistant.threads.setStatus", args: { channel_id: "C0GENERAL", thread_ts: "1.000200" } },
  ]);
});
