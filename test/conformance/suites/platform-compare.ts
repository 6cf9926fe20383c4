import { isDeepStrictEqual } from "node:util";
import type { InboundEvent } from "#src/domain/platform";
import type { Outcome } from "./platform-door";
import type { ExpectedEvent, ExpectedResponse } from "./platform-request";

export interface Problem {
  readonly expected: unknown;
  readonly got: unknown;
}

type Accept = Readonly<Record<string, readonly unknown[]>>;

/** What an event of ours says in the words of the suite's files. */
function inTheirWords(event: InboundEvent, platform: string): Record<string, unknown> {
  return {
    event: event.kind,
    platform,
    chat_id: event.chatId,
    chat_type: event.chatType,
    user_id: event.userId,
    text: event.text,
    text_raw: event.rawText,
    message_id: event.messageId,
    thread_id: event.threadId,
    mentions_bot: event.mentionsBot,
    reply_to: event.replyTo,
    reply_to_bot: event.replyToBot,
    addressed: event.addressed,
    attachments: event.attachments,
    is_from_bot: event.isFromBot,
    media_group_id: event.mediaGroupId,
    command: event.command,
    reaction: event.reaction,
    action: event.action === undefined ? undefined : { ...event.action, callback_id: event.action.callbackId },
  };
}

/** Compares an event with what is expected of it, field by field; words of explanation are no fields. */
export function compareEvent(expected: ExpectedEvent, event: InboundEvent | undefined, platform: string): Problem[] {
  if (event === undefined) return [{ expected, got: "nothing" }];
  const accept = expected.accept ?? {};
  const got = inTheirWords(event, platform);
  // "*" leaves the event, dedupe and authentication alone to be asserted
  const names = accept["*"] === undefined ? Object.keys(got).filter((name) => name in expected) : ["event"];
  return [
    ...names.flatMap((name) => compare(name, expected[name], got[name], accept)),
    ...compareDedupe(expected, event, accept),
    ...compareWords(expected, event),
  ];
}

function compareDedupe(expected: ExpectedEvent, event: InboundEvent, accept: Accept): Problem[] {
  const wanted = expected["dedupe_key"];
  const keys: readonly unknown[] = [event.eventId, ...event.dedupeKeys];
  const allowed = [wanted, ...(accept["dedupe_key"] ?? [])];
  const isFine = wanted === null || wanted === undefined || allowed.some((key) => key === "*" || keys.includes(key));
  return isFine ? [] : [{ expected: { dedupe_key: wanted }, got: keys }];
}

function compareWords(expected: ExpectedEvent, event: InboundEvent): Problem[] {
  const wanted = Array.isArray(expected["must_contain"]) ? (expected["must_contain"] as unknown[]) : [];
  const missing = wanted.filter((words) => !event.text.includes(String(words)));
  return missing.length === 0 ? [] : [{ expected: { text: missing }, got: event.text }];
}

function compare(path: string, expected: unknown, got: unknown, accept: Accept): Problem[] {
  const allowed = accept[path] ?? [];
  if (allowed.includes("*") || allowed.some((one) => isSame(one, got))) return [];
  if (Array.isArray(expected)) return compareLists(path, expected as unknown[], got, accept);
  if (typeof expected === "object" && expected !== null) {
    const parts = parsed(got);
    return Object.entries(expected).flatMap(([name, value]) =>
      compare(`${path}.${name}`, value, part(parts, name), accept),
    );
  }
  return isSame(expected, got) ? [] : [{ expected: { [path]: expected }, got: got ?? "nothing" }];
}

function compareLists(path: string, expected: readonly unknown[], got: unknown, accept: Accept): Problem[] {
  const list: readonly unknown[] = Array.isArray(got) ? got : [];
  if (list.length !== expected.length) return [{ expected: { [path]: expected }, got: list }];
  return expected.flatMap((value, index) => compare(`${path}[${index}]`, value, list[index], accept));
}

/** Null in a file stands for what is not there: no value, no text, not true. */
function isSame(expected: unknown, got: unknown): boolean {
  if (expected === null) return got === undefined || got === null || got === "" || got === false;
  return isDeepStrictEqual(expected, got);
}

/** Values of actions are text with us; where a platform sends an object, it is the object's JSON. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function part(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** What stands at a path such as `choices[0].message.role`; undefined when nothing does. */
function at(json: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce(part, json);
}

/** Compares the answer that was given with the one that the platform demands. */
export function compareResponse(wanted: ExpectedResponse, { status, received, ms = 0 }: Outcome): Problem[] {
  const { body = "", contentType = "" } = received?.response ?? {};
  const json = parsed(body);
  const bodies = [...(wanted.body === undefined ? [] : [wanted.body]), ...(wanted.body_any ?? [])];
  const objects = [...(wanted.json === undefined ? [] : [wanted.json]), ...(wanted.json_any ?? [])];
  const paths = Object.entries(wanted.json_path ?? {});
  const hints = Object.entries(wanted.json_schema_hint ?? {});
  const checks: readonly (Problem & { readonly isFine: boolean })[] = [
    { expected: { status: wanted.status }, got: status, isFine: isOneOf([wanted.status ?? []].flat(), status) },
    { expected: { body: bodies }, got: body, isFine: isOneOf(bodies, body) },
    { expected: { json: objects }, got: body, isFine: isOneOf(objects, json) },
    ...paths.map(([path, values]) => ({
      expected: { [path]: values },
      got: at(json, path) ?? "nothing",
      isFine: values.includes(at(json, path)),
    })),
    ...hints.map(([path, hint]) => ({
      expected: { [path]: hint },
      got: at(json, path) ?? "nothing",
      isFine: isOneOf([hint], at(json, path)) || typesOf(at(json, path)).includes(String(hint)),
    })),
    ...(wanted.json_has ?? []).map((path) => ({
      expected: `something at ${path}`,
      got: body,
      isFine: at(json, path) !== undefined,
    })),
    {
      expected: { content_type: wanted.content_type },
      got: contentType,
      isFine: contentType.startsWith(wanted.content_type ?? ""),
    },
    { expected: { within_ms: wanted.within_ms }, got: ms, isFine: ms <= (wanted.within_ms ?? Infinity) },
  ];
  return checks.filter(({ isFine }) => !isFine).map(({ expected, got }) => ({ expected, got }));
}

/** No demand is met by everything. */
function isOneOf(wanted: readonly unknown[], got: unknown): boolean {
  return wanted.length === 0 || wanted.some((one) => isDeepStrictEqual(one, got));
}

/** What JSON Schema calls a value. */
function typesOf(value: unknown): readonly string[] {
  if (value === null || Array.isArray(value)) return [value === null ? "null" : "array"];
  return Number.isInteger(value) ? ["number", "integer"] : [typeof value];
}
