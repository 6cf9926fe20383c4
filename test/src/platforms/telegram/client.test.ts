import { expect, it } from "vitest";
import type { OutboundFile, PlatformClient } from "#src/domain/platform";
import { telegram } from "#src/platforms/telegram/telegram";
import { ACCOUNT, TOKEN, telegramIo } from "../../../support/telegram/updates";

const TARGET = { chatId: "5550001" };
const OPTIONS = { key: "k", signal: new AbortController().signal };

interface Call {
  readonly method: string;
  readonly body: Record<string, unknown>;
}

/** A client whose calls are kept and answered in order; the last answer serves for the rest. */
function open(...answers: (object | (() => Response))[]): { client: PlatformClient; calls: Call[] } {
  const calls: Call[] = [];
  const io = telegramIo(async (url, init) => {
    expect(url.startsWith(`https://api.telegram.org/bot${TOKEN}/`)).toBe(true);
    calls.push({ method: url.split("/").at(-1) ?? "", body: await readBody(init) });
    const answer = answers[Math.min(calls.length, answers.length) - 1] ?? sent(1);
    return typeof answer === "function" ? answer() : Response.json(answer);
  });
  return { client: telegram.open(ACCOUNT, io), calls };
}

async function readBody(init: RequestInit): Promise<Record<string, unknown>> {
  if (typeof init.body === "string") return JSON.parse(init.body) as Record<string, unknown>;
  const form = Array.from((init.body as FormData).entries());
  const fields = await Promise.all(
    form.map(async ([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.name} ${value.type} ${await value.text()}`,
    ]),
  );
  return Object.fromEntries(fields) as Record<string, unknown>;
}

function sent(id: number): object {
  return { ok: true, result: { message_id: id } };
}

function refusal(description: string, parameters?: object, error_code = 400): () => Response {
  return () => Response.json({ ok: false, error_code, description, parameters }, { status: error_code });
}

function file(kind: OutboundFile["kind"], mime: string, name = "f"): OutboundFile {
  return { kind, mime, name, bytes: new TextEncoder().encode("bytes") };
}

it("sends words without marks as they are", async () => {
  const { client, calls } = open(sent(7));
  expect(await client.send(TARGET, { markdown: "Done. 3 files." }, OPTIONS)).toEqual({ messageId: "7" });
  expect(calls).toEqual([
    {
      method: "sendMessage",
      body: { chat_id: 5550001, text: "Done. 3 files.", link_preview_options: { is_disabled: true } },
    },
  ]);
});

it("sends Markdown with Telegram's marks, into the thread and as a reply", async () => {
  const { client, calls } = open();
  await client.send({ chatId: "-100", threadId: "12", replyTo: "70" }, { markdown: "**Done.**" }, OPTIONS);
  expect(calls[0]?.body).toMatchObject({
    chat_id: -100,
    message_thread_id: 12,
    reply_parameters: { message_id: 70, allow_sending_without_reply: true },
    text: String.raw`*Done\.*`,
    parse_mode: "MarkdownV2",
  });
});

it("names no thread for the general topic", async () => {
  const { client, calls } = open();
  await client.send({ chatId: "-100", threadId: "1" }, { markdown: "hi" }, OPTIONS);
  expect(calls[0]?.body).not.toHaveProperty("message_thread_id");
});

it("sends the text as it was written when Telegram cannot read the marks", async () => {
  const { client, calls } = open(refusal("Bad Request: can't parse entities: oh"), sent(8));
  expect(await client.send(TARGET, { markdown: "**x**" }, OPTIONS)).toEqual({ messageId: "8" });
  expect(calls[1]?.body).toEqual({ chat_id: 5550001, text: "**x**", link_preview_options: { is_disabled: true } });
});

it("sends the text as it was written when it would be too long otherwise", async () => {
  const { client, calls } = open();
  const table = `| a | b |\n|---|---|\n| ${"x".repeat(1500)} | y |\n| z | ${"w".repeat(1500)} |`;
  await client.send(TARGET, { markdown: table }, OPTIONS);
  expect(calls[0]?.body).toMatchObject({ text: table });
  expect(calls[0]?.body).not.toHaveProperty("parse_mode");
});

it("sends half an emoji as a replacement character", async () => {
  const { client, calls } = open();
  await client.send(TARGET, { markdown: "a\ud83d" }, OPTIONS);
  expect(calls[0]?.body["text"]).toBe("a\ufffd");
});

it("puts short buttons side by side and leaves out what Telegram would refuse", async () => {
  const { client, calls } = open();
  const buttons = [
    { label: "Yes", value: "y", style: "primary" as const },
    { label: "No", value: "n" },
    { label: "Long", value: "é".repeat(33) },
  ];
  await client.send(TARGET, { markdown: "ok?", buttons }, OPTIONS);
  expect(calls[0]?.body["reply_markup"]).toEqual({
    inline_keyboard: [
      [
        { text: "Yes", callback_data: "y", style: "primary" },
        { text: "No", callback_data: "n" },
      ],
    ],
  });
});

it("puts long buttons below one another", async () => {
  const { client, calls } = open();
  const buttons = [
    { label: "Allow this once", value: "1" },
    { label: "Deny", value: "2" },
  ];
  await client.send(TARGET, { markdown: "ok?", buttons }, OPTIONS);
  expect(calls[0]?.body["reply_markup"]).toMatchObject({
    inline_keyboard: [[{ text: "Allow this once" }], [{ text: "Deny" }]],
  });
});

it("follows a group to the supergroup that it became", async () => {
  const { client, calls } = open(
    refusal("Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1001234567890123 }),
    sent(9),
  );
  expect(await client.send({ chatId: "-77" }, { markdown: "hi" }, OPTIONS)).toEqual({ messageId: "9" });
  expect(calls.map(({ body }) => body["chat_id"])).toEqual([-77, "-1001234567890123"]);
});

it("answers in the group when the topic is gone", async () => {
  const { client, calls } = open(refusal("Bad Request: message thread not found"), sent(9));
  await client.send({ chatId: "-77", threadId: "5" }, { markdown: "hi" }, OPTIONS);
  expect(calls[1]?.body).not.toHaveProperty("message_thread_id");
});

it.each([
  [
    refusal("Forbidden: bot was blocked by the user", undefined, 403),
    { code: "refused", status: 403, message: "Telegram answered 403: Forbidden: bot was blocked by the user." },
  ],
  [refusal("Bad Request: chat not found"), { code: "refused", status: 400 }],
  [refusal("Unauthorized", undefined, 401), { code: "refused", status: 401 }],
  [refusal("Not Found", undefined, 404), { code: "refused", status: 404 }],
  [refusal("Too Many Requests: retry after 7", { retry_after: 7 }, 429), { code: "rate_limited", retryAfterMs: 7000 }],
  [
    { ok: false, error_code: 429, description: "x", parameters: { retry_after: 3 } },
    { code: "rate_limited", retryAfterMs: 3000 },
  ],
  [() => new Response("", { status: 500 }), { code: "unavailable" }],
  [() => new Response("", { status: 502 }), { code: "unconfirmed" }],
  [() => new Response("<html>"), { code: "unconfirmed" }],
  [
    () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
    { code: "refused", status: 302 },
  ],
  [{ ok: true, result: {} }, { code: "unconfirmed" }],
])("tells apart what went wrong: case %#", async (answer, error) => {
  const { client } = open(answer);
  await expect(client.send(TARGET, { markdown: "**hi**" }, OPTIONS)).rejects.toMatchObject(error);
});

it("keeps the token out of what it throws", async () => {
  const leaky = telegram.open(
    ACCOUNT,
    telegramIo(() => Promise.reject(new TypeError(`failed: https://api.telegram.org/bot${TOKEN}/x`))),
  );
  const echo = open(refusal(`no such bot ${TOKEN}`)).client;
  for (const client of [leaky, echo]) {
    const error: unknown = await client.send(TARGET, { markdown: "hi" }, OPTIONS).catch((thrown: unknown) => thrown);
    expect(`${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`).not.toContain("AAF-not");
  }
});

it("edits a message", async () => {
  const { client, calls } = open();
  await client.edit?.(TARGET, "70", { markdown: "*new*" }, OPTIONS);
  expect(calls[0]).toMatchObject({
    method: "editMessageText",
    body: { chat_id: 5550001, message_id: 70, text: "_new_", parse_mode: "MarkdownV2" },
  });
});

it("takes an edit that changes nothing for done", async () => {
  const { client } = open(refusal("Bad Request: message is not modified: specified new message content is the same"));
  await expect(client.edit?.(TARGET, "70", { markdown: "same" }, OPTIONS)).resolves.toBeUndefined();
});

it("refuses the edit of a message that is gone", async () => {
  const { client } = open(refusal("Bad Request: message to edit not found"));
  await expect(client.edit?.(TARGET, "70", { markdown: "x" }, OPTIONS)).rejects.toMatchObject({ code: "refused" });
});

it("shows that it is writing", async () => {
  const { client, calls } = open({ ok: true, result: true });
  await client.typing?.({ chatId: "-100", threadId: "12" }, OPTIONS.signal);
  expect(calls).toEqual([
    { method: "sendChatAction", body: { chat_id: -100, message_thread_id: 12, action: "typing" } },
  ]);
});

it("answers a button press", async () => {
  const { client, calls } = open({ ok: true, result: true });
  await client.acknowledge?.({ callbackId: "176", text: "x".repeat(300) }, OPTIONS.signal);
  expect(calls).toEqual([{ method: "answerCallbackQuery", body: { callback_query_id: "176", text: "x".repeat(200) } }]);
});

it.each([
  [file("image", "image/png"), "sendPhoto", "photo"],
  [file("image", "image/gif"), "sendAnimation", "animation"],
  [file("image", "image/svg+xml"), "sendDocument", "document"],
  [file("voice", "audio/ogg"), "sendVoice", "voice"],
  [file("audio", "audio/mpeg"), "sendAudio", "audio"],
  [file("video", "video/mp4"), "sendVideo", "video"],
  [file("file", "application/pdf"), "sendDocument", "document"],
])("sends $kind $mime the way it shows best", async (sentFile, method, parameter) => {
  const { client, calls } = open(sent(5));
  expect(await client.send({ chatId: "5", threadId: "6" }, { markdown: "", file: sentFile }, OPTIONS)).toEqual({
    messageId: "5",
  });
  expect(calls).toEqual([
    { method, body: { chat_id: "5", message_thread_id: "6", [parameter]: `f ${sentFile.mime} bytes` } },
  ]);
});

it("puts a text below the file, and a longer one behind it", async () => {
  const { client, calls } = open(sent(5), sent(6), sent(7));
  const photo = file("image", "image/png");
  await client.send(TARGET, { markdown: "**see**", file: photo }, OPTIONS);
  const long = "x ".repeat(600);
  expect(await client.send(TARGET, { markdown: long, file: photo }, OPTIONS)).toEqual({ messageId: "7" });
  expect(calls.map(({ method, body }) => [method, body["caption"] ?? body["text"]])).toEqual([
    ["sendPhoto", "*see*"],
    ["sendPhoto", undefined],
    ["sendMessage", long.trimEnd()],
  ]);
});

it("sends a picture that Telegram cannot show as a file", async () => {
  const { client, calls } = open(refusal("Bad Request: PHOTO_INVALID_DIMENSIONS"), sent(5));
  await client.send(TARGET, { markdown: "", file: file("image", "image/png") }, OPTIONS);
  expect(calls.map(({ method }) => method)).toEqual(["sendPhoto", "sendDocument"]);
});

it("does not send a file twice to who blocked the bot", async () => {
  const { client, calls } = open(refusal("Forbidden: bot was blocked by the user", undefined, 403));
  await expect(client.send(TARGET, { markdown: "", file: file("image", "image/png") }, OPTIONS)).rejects.toMatchObject({
    code: "refused",
  });
  expect(calls).toHaveLength(1);
});
