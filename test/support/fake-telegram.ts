// A Telegram Bot API that keeps what it is told, over real HTTP on loopback. Source of the shapes:
// https://core.telegram.org/bots/api (sendMessage, editMessageText, getFile, sendChatAction).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as a person sees it now, and how it came to be. */
export interface FakeMessage {
  readonly id: number;
  readonly chatId: string;
  readonly threadId?: string;
  text: string;
  readonly versions: string[];
  readonly keyboard?: unknown;
  readonly file?: { readonly method: string; readonly bytes: number };
}

/** What to do with the next requests of a method, first come first served. */
export type Fault =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the message in and closes the connection without an answer. */
  | "accept-and-reset"
  /** Closes the connection before anything was taken in. */
  | "reset"
  /** Never answers. */
  | "hang";

export interface FakeTelegram {
  readonly url: string;
  readonly messages: FakeMessage[];
  readonly calls: { readonly method: string; readonly body: Record<string, unknown> }[];
  readonly files: Map<string, Uint8Array>;
  /** Faults to come, by method. */
  fault(method: string, ...faults: Fault[]): void;
  /** Texts of a chat as they stand now. */
  texts(chatId: number | string): string[];
  /** Resolves when `isTrue` holds; looks again after every request. */
  until(isTrue: () => boolean, timeoutMs?: number): Promise<void>;
  /** Calls back after every request, until the returned function is called. */
  onCall(look: () => void): () => void;
  close(): Promise<void>;
}

export async function startFakeTelegram(): Promise<FakeTelegram> {
  const messages: FakeMessage[] = [];
  const calls: FakeTelegram["calls"] = [];
  const files = new Map<string, Uint8Array>();
  const faults = new Map<string, Fault[]>();
  const watchers = new Set<() => void>();
  let nextId = 1;

  function take(method: string, body: Record<string, unknown>): unknown {
    const text = textOf(body["text"] ?? body["caption"]);
    if (method === "editMessageText") {
      const found = messages.find((message) => message.id === Number(body["message_id"]));
      if (found === undefined) return undefined;
      found.text = text;
      found.versions.push(text);
      return { message_id: found.id };
    }
    if (method.startsWith("send") && method !== "sendChatAction") {
      const message: FakeMessage = {
        id: nextId++,
        chatId: String(body["chat_id"]),
        ...(body["message_thread_id"] === undefined ? {} : { threadId: textOf(body["message_thread_id"]) }),
        text,
        versions: [text],
        ...(body["reply_markup"] === undefined ? {} : { keyboard: body["reply_markup"] }),
        ...(method === "sendMessage" ? {} : { file: { method, bytes: Number(body["bytes"] ?? 0) } }),
      };
      messages.push(message);
      return { message_id: message.id, chat: { id: body["chat_id"] }, date: 0, text };
    }
    if (method === "getMe") return { id: 7900000001, is_bot: true, first_name: "Acme", username: "acme_agent_bot" };
    if (method === "getFile")
      return {
        file_id: body["file_id"],
        file_path: `files/${String(body["file_id"])}`,
        file_size: files.get(String(body["file_id"]))?.length,
      };
    return true;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://x");
    const method = url.pathname.split("/").at(-1) ?? "";
    if (url.pathname.startsWith("/file/")) {
      const bytes = files.get(method);
      response.writeHead(bytes === undefined ? 404 : 200, { "content-type": "application/octet-stream" }).end(bytes);
      return;
    }
    const body = await readBody(request);
    calls.push({ method, body });
    const fault = faults.get(method)?.shift();
    if (fault === "hang") return;
    if (fault === "reset") {
      request.socket.destroy();
      return;
    }
    if (typeof fault === "object") {
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(JSON.stringify(fault.body ?? { ok: false, error_code: fault.status, description: "fault" }));
      return;
    }
    const result = take(method, body);
    if (fault === "accept-and-reset") {
      request.socket.destroy();
    } else if (result === undefined) {
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ ok: false, error_code: 400, description: "Bad Request: message to edit not found" }));
    } else {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }));
    }
  }

  const server: Server = createServer((request, response) => {
    answer(request, response)
      .catch(() => request.socket.destroy())
      .finally(() => {
        for (const watcher of watchers) watcher();
      });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    calls,
    files,
    fault(method, ...more) {
      faults.set(method, [...(faults.get(method) ?? []), ...more]);
    },
    texts: (chatId) => messages.filter((message) => message.chatId === String(chatId)).map((message) => message.text),
    until(isTrue, timeoutMs = 20_000) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        if (isTrue()) resolve();
      };
      watchers.add(look);
      const timer = setTimeout(
        () => reject(new Error(`not so after ${timeoutMs} ms; messages: ${JSON.stringify(messages.slice(-5))}`)),
        timeoutMs,
      );
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        watchers.delete(look);
      });
    },
    onCall(look) {
      watchers.add(look);
      return () => watchers.delete(look);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  if (request.headers["content-type"]?.startsWith("multipart/") === true)
    return readForm(raw, request.headers["content-type"]);
  return raw.length === 0 ? {} : (JSON.parse(raw.toString("utf8")) as Record<string, unknown>);
}

async function readForm(raw: Buffer, type: string): Promise<Record<string, unknown>> {
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
  const body: Record<string, unknown> = {};
  for (const [name, value] of form) {
    if (typeof value === "string") body[name] = value;
    else body["bytes"] = value.size;
  }
  return body;
}

let updateId = 1;

/** An update as Telegram sends it for a private message. */
export function telegramText(chatId: number, messageId: number, text: string): Record<string, unknown> {
  const from = { id: chatId, is_bot: false, first_name: `User ${chatId}` };
  return {
    update_id: updateId++,
    message: {
      message_id: messageId,
      from,
      chat: { id: chatId, type: "private" },
      date: Math.floor(Date.now() / 1000),
      text,
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
