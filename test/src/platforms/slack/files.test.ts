import { expect, it } from "vitest";
import { openSlack } from "#src/platforms/slack/client";
import { isSlackAddress } from "#src/platforms/slack/files";
import { ACCOUNT, slackIo } from "#test/support/slack-request";

const SIGNAL = new AbortController().signal;
const UPLOAD_URL = "https://files.slack.com/upload/v1/abc";
const FILE = {
  kind: "file" as const,
  name: "report.txt",
  mime: "text/plain",
  bytes: new TextEncoder().encode("hello"),
};

interface Seen {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Slack's answers by the end of the address. */
function slackWith(answers: Readonly<Record<string, () => Response>>): {
  client: ReturnType<typeof openSlack>;
  seen: Seen[];
} {
  const seen: Seen[] = [];
  const io = slackIo((url, init) => {
    seen.push({ url, headers: new Headers(init.headers), body: init.body });
    const answer = Object.entries(answers).find(([end]) => url.endsWith(end))?.[1];
    if (answer === undefined) throw new Error("connection reset");
    return answer();
  });
  return { client: openSlack(ACCOUNT, io), seen };
}

const SLOT = (): Response => Response.json({ ok: true, upload_url: UPLOAD_URL, file_id: "F1" });
const DONE = (): Response =>
  Response.json({ ok: true, files: [{ id: "F1", shares: { private: { C1: [{ ts: "3.000100" }] } } }] });

it("uploads a file in three steps and shows it in the thread", async () => {
  const { client, seen } = slackWith({
    getUploadURLExternal: SLOT,
    "/abc": () => new Response("OK"),
    completeUploadExternal: DONE,
  });
  const target = { chatId: "C1", threadId: "1.000200" };
  const sent = await client.send(target, { markdown: "", file: FILE }, { key: "turn-7.1", signal: SIGNAL });
  expect(sent).toEqual({ messageId: "3.000100" });
  expect(seen.map(({ url }) => url)).toEqual([
    "https://slack.com/api/files.getUploadURLExternal",
    UPLOAD_URL,
    "https://slack.com/api/files.completeUploadExternal",
  ]);
  expect(String(seen[0]?.body)).toBe("filename=report.txt&length=5");
  expect(seen[1]?.headers.get("authorization")).toBeNull();
  expect(JSON.parse(String(seen[2]?.body))).toEqual({
    files: [{ id: "F1", title: "report.txt" }],
    channel_id: "C1",
    thread_ts: "1.000200",
    blocks: [{ type: "section", block_id: "turn-7.1", text: { type: "mrkdwn", text: "report.txt" } }],
  });
});

it("finds a file that was sent by the key on its block", async () => {
  const messages = [{ ts: "3.000100", files: [{ id: "F1" }], blocks: [{ type: "section", block_id: "turn-7.1" }] }];
  const { client } = slackWith({ "conversations.history": () => Response.json({ ok: true, messages }) });
  const found = await client.findSent?.({ chatId: "C1" }, "turn-7.1", { sinceMs: 0, signal: SIGNAL });
  expect(found).toEqual({ messageId: "3.000100" });
});

it("is sure that nothing was shown when the bytes did not arrive", async () => {
  const { client } = slackWith({ getUploadURLExternal: SLOT });
  const sending = client.send({ chatId: "C1" }, { markdown: "", file: FILE }, { key: "k", signal: SIGNAL });
  await expect(sending).rejects.toMatchObject({ code: "unavailable" });
});

it("is not sure when the last step was cut off", async () => {
  const { client } = slackWith({ getUploadURLExternal: SLOT, "/abc": () => new Response("OK") });
  const sending = client.send({ chatId: "C1" }, { markdown: "", file: FILE }, { key: "k", signal: SIGNAL });
  await expect(sending).rejects.toMatchObject({ code: "unconfirmed" });
});

it("uploads to no host but Slack's", async () => {
  const slot = (): Response => Response.json({ ok: true, upload_url: "https://evil.example/abc", file_id: "F1" });
  const { client, seen } = slackWith({ getUploadURLExternal: slot });
  const sending = client.send({ chatId: "C1" }, { markdown: "", file: FILE }, { key: "k", signal: SIGNAL });
  await expect(sending).rejects.toMatchObject({ code: "refused" });
  expect(seen.length).toBe(1);
});

const ATTACHMENT = {
  kind: "file" as const,
  id: "F1",
  url: "https://files.slack.com/files-pri/T-F/download/a.txt",
  mime: "text/plain",
};
const OPTIONS = { maxBytes: 10, signal: SIGNAL };

function fileResponse(body: BodyInit, headers: Record<string, string> = {}): () => Response {
  return () => new Response(body, { headers: { "content-type": "text/plain; charset=utf-8", ...headers } });
}

it("fetches a file with the token", async () => {
  const { client, seen } = slackWith({ "a.txt": fileResponse("hello") });
  const fetched = await client.fetchAttachment?.(ATTACHMENT, OPTIONS);
  expect(fetched).toEqual({ bytes: new TextEncoder().encode("hello"), mime: "text/plain" });
  expect(seen[0]?.headers.get("authorization")).toBe("Bearer xoxb-test-not-real");
});

it("asks for the address of a file that came without one", async () => {
  const info = (): Response => Response.json({ ok: true, file: { url_private_download: ATTACHMENT.url } });
  const { client } = slackWith({ "files.info": info, "a.txt": fileResponse("hello") });
  const fetched = await client.fetchAttachment?.({ kind: "file", id: "F1" }, OPTIONS);
  expect(fetched?.bytes.length).toBe(5);
});

it("stops reading a file that is larger than it may be, whatever it said before", async () => {
  const { client } = slackWith({ "a.txt": fileResponse("hello hello", { "content-length": "1" }) });
  await expect(client.fetchAttachment?.(ATTACHMENT, OPTIONS)).rejects.toMatchObject({ code: "too_large" });
});

it("does not begin to fetch a file that says it is too large", async () => {
  const { client, seen } = slackWith({});
  await expect(client.fetchAttachment?.({ ...ATTACHMENT, size: 11 }, OPTIONS)).rejects.toMatchObject({
    code: "too_large",
  });
  expect(seen).toEqual([]);
});

it("does not take the login page for the file", async () => {
  const { client } = slackWith({ "a.txt": fileResponse("<html>", { "content-type": "text/html; charset=utf-8" }) });
  await expect(client.fetchAttachment?.(ATTACHMENT, OPTIONS)).rejects.toMatchObject({ code: "refused" });
});

it("sends the token after no redirect to another host", async () => {
  const away = (): Response => new Response(null, { status: 302, headers: { location: "https://evil.example/a" } });
  const { client, seen } = slackWith({ "a.txt": away });
  await expect(client.fetchAttachment?.(ATTACHMENT, OPTIONS)).rejects.toMatchObject({ code: "refused" });
  expect(seen.length).toBe(1);
});

it.each([
  ["https://files.slack.com/a", true],
  ["https://acme.slack.com/a", true],
  ["https://slack-files.com/a", true],
  ["http://127.0.0.1:9/upload", true],
  ["http://127.0.0.1:10/upload", false],
  ["http://files.slack.com/a", false],
  ["https://files.slack.com.evil.example/a", false],
  ["https://files.slack.com@evil.example/a", false],
  ["https://evilslack.com/a", false],
  ["https://169.254.169.254/", false],
  ["not an address", false],
])("knows whether %s may see the token: %s", (address, isSlack) => {
  expect(isSlackAddress(address, { base: "http://127.0.0.1:9/api" })).toBe(isSlack);
});
