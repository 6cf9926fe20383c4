// Requests to the Worker under test, as the programs that use its doors make them.
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { toHex } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { environmentFor } from "../../durable-objects/environment";
import { WORLD } from "./world-settings";

export const ORIGIN = "http://talaria.test";

export type Headers = Readonly<Record<string, string>>;

export function request(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`${ORIGIN}${path}`, init);
}

/** Posts an update with Telegram's secret, and with whatever body. */
export function postTelegramBody(body: BodyInit, headers: Headers = {}): Promise<Response> {
  return request("/webhooks/telegram", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-telegram-bot-api-secret-token": WORLD.TELEGRAM_WEBHOOK_SECRET,
      ...headers,
    },
    body,
  });
}

/** Posts a body that Slack signed. */
export async function postSlackBody(body: string, contentType = "application/json"): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = toHex(await hmacSha256(WORLD.SLACK_SIGNING_SECRET, `v0:${timestamp}:${body}`));
  return request("/webhooks/slack", {
    method: "POST",
    headers: {
      "content-type": contentType,
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
    },
    body,
  });
}

/** Posts a body that a program sends with the right bearer token. */
export function postWebhookBody(body: BodyInit, headers: Headers = {}): Promise<Response> {
  return request("/webhooks/webhook", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${WORLD.WEBHOOK_SECRET}`, ...headers },
    body,
  });
}

/** A request of the operator, with its body as JSON. */
export function operate(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
  return request(path, {
    method,
    headers: { authorization: `Bearer ${WORLD.ADMIN_TOKEN}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** A chat completion asked for with the operator's token. */
export function complete(body: unknown, headers: Headers = {}): Promise<Response> {
  return operate("POST", "/v1/chat/completions", body, headers);
}

/** Whether a session's object was ever woken. */
export async function isKnown(key: string): Promise<boolean> {
  const wanted = env.SESSIONS.idFromName(key);
  return (await listDurableObjectIds(env.SESSIONS)).some((id) => id.equals(wanted));
}

/** What people have written into a session, oldest first. */
export async function wordsIn(key: string): Promise<string[]> {
  return runInDurableObject(env.SESSIONS.getByName(key), (_instance, { storage }) =>
    storage.sql
      .exec<{ content: string }>("SELECT content FROM messages WHERE role = 'user' ORDER BY id")
      .toArray()
      .map(({ content }) => content),
  );
}

/** Lets a person talk to the agent, as an approved pairing does. */
export async function admit(...people: readonly string[]): Promise<void> {
  const profile = env.PROFILES.getByName("main");
  for (const person of people) await profile.approve(person, undefined, false);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

/** Sets the clock to the start of a minute that no other test has counted in. */
export function freshMinute(): void {
  minutes += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: (Math.floor(Date.now() / 60_000) + minutes) * 60_000 });
}

let minutes = 1;

/** Bytes in pieces, without a length that is known before. */
export function streamOf(bytes: Uint8Array, pieceBytes = 65_536): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
}

/** JSON nested so deeply. */
export function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

/** What is wrong, in the shape of the operator's API. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/** The status and the code of an answer that is a problem. */
export async function codeOf(response: Response): Promise<readonly [number, string]> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  return [response.status, (await response.json<Problem>()).code];
}

export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await response).json<T>();
}

/** What is wrong, in OpenAI's shape. */
export interface OpenAiProblem {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}
