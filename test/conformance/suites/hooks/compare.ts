import { isDeepStrictEqual } from "node:util";
import type { HookLogEntry } from "#src/domain/hook";
import { isTarget } from "#src/hooks/approvals";
import type { ReachedCall } from "./hook-world";

/** One thing that is not as the case says. */
export interface Problem {
  readonly expected: unknown;
  readonly got: unknown;
}

/** Everything that expected keys can be compared with. */
export interface Evidence {
  /** Values that stand for themselves, by the key's name. */
  readonly seen: Readonly<Record<string, unknown>>;
  /** Of an end that was refused and came again, those of the first time. */
  readonly calls: readonly ReachedCall[];
  readonly allCalls: readonly ReachedCall[];
  /** Those that are counted. */
  readonly counted: readonly ReachedCall[];
  readonly invoked: readonly string[];
  readonly log: readonly HookLogEntry[];
  /** Texts of hooks that reached the model, by event. */
  readonly contexts: ReadonlyMap<string, string>;
  /** Names of all moments that were raised, in the dialect of the case. */
  readonly raised: readonly string[];
  readonly spilled: readonly string[];
  /** The payload as the case hands it, for the keys that a payload may have. */
  readonly handed: Readonly<Record<string, unknown>>;
}

/** What was approved: an event of the dialect and a target. */
type Pair = readonly [event: string, target: string];

type Check = (expected: never, evidence: Evidence) => Problem | undefined;

/** Compares every expected key of a case; the ones that fail, with what was there instead. */
export function compare(expected: Readonly<Record<string, unknown>>, evidence: Evidence): readonly Problem[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const check = CHECKS[key];
    // the format says what each key holds
    const problem = check === undefined ? equal(value, evidence.seen[key]) : check(value as never, evidence);
    return problem === undefined ? [] : [{ expected: { [key]: problem.expected }, got: { [key]: problem.got } }];
  });
}

function equal(expected: unknown, got: unknown): Problem | undefined {
  return isDeepStrictEqual(plain(expected), plain(got)) ? undefined : { expected, got };
}

/** What JSON keeps of a value: an absent key and one that is undefined are the same. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function holds(isTrue: boolean, expected: unknown, got: unknown): Problem | undefined {
  return isTrue ? undefined : { expected, got };
}

function contextOf({ contexts }: Evidence): string | undefined {
  return contexts.size === 0 ? undefined : [...contexts.values()].join("\n\n");
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function lastPayloadOf(id: string, event: string | undefined, { calls }: Evidence): unknown {
  return calls.findLast((call) => call.id === id && (event === undefined || call.nativeEvent === event))?.payload;
}

const CHECKS: Readonly<Record<string, Check>> = {
  reason_prefix: (prefix: string, { seen }) => {
    const reason = String(seen["reason"]);
    return holds(reason.startsWith(prefix), prefix, reason);
  },
  tool_result_to_model_contains: (part: string, { seen }) => {
    const text = String(seen["tool_result_to_model"]);
    return holds(text.includes(part), part, text);
  },
  invoked: (ids: readonly string[], { invoked }) => equal(ids, invoked),
  invoked_set: (ids: readonly string[], { invoked }) => equal(ids.toSorted(), [...new Set(invoked)].toSorted()),
  not_invoked: (ids: readonly string[], { calls }) => {
    const called = new Set(calls.map(({ id }) => id));
    return holds(!ids.some((id) => called.has(id)), ids, [...called]);
  },
  invocation_count: (counts: Readonly<Record<string, number>>, { counted }) => {
    const got = countsOf(counted.map(({ id }) => id));
    return equal(counts, Object.fromEntries(Object.keys(counts).map((id) => [id, got.get(id) ?? 0])));
  },
  max_concurrency: (bounds: Readonly<Record<string, number>>, { calls }) => {
    const got = Object.fromEntries(Object.keys(bounds).map((id) => [id, mostInFlight(id, calls)]));
    return holds(
      Object.entries(bounds).every(([id, most]) => (got[id] ?? 0) <= most),
      bounds,
      got,
    );
  },
  min_concurrency: (least: number | Readonly<Record<string, number>>, { calls }) => {
    const wanted = typeof least === "number" ? { "*": least } : least;
    const got = Object.fromEntries(Object.keys(wanted).map((id) => [id, mostInFlight(id, calls)]));
    return holds(
      Object.entries(wanted).every(([id, count]) => (got[id] ?? 0) >= count),
      wanted,
      got,
    );
  },
  payload: (byId: Readonly<Record<string, object>>, evidence) =>
    firstOf(Object.entries(byId), ([id, subset]) => {
      const call = evidence.calls.findLast((one) => one.id === id);
      const payload = call?.payload;
      if (!contains(payload, subset)) return { expected: subset, got: payload };
      const allowed = new Set([
        ...Object.keys(evidence.handed),
        ...Object.keys(subset),
        ...COMMON_KEYS,
        ...(OWN_KEYS[call?.dialect ?? ""] ?? []),
      ]);
      const strange = Object.keys(payload as object).filter((key) => !allowed.has(key));
      return holds(strange.length === 0, "no other keys", strange);
    }),
  payload_keys: (byId: Readonly<Record<string, readonly string[]>>, evidence) =>
    firstOf(Object.entries(byId), ([id, keys]) => {
      const payload = lastPayloadOf(id, undefined, evidence);
      return equal(keys.toSorted(), Object.keys(payload ?? {}).toSorted());
    }),
  payload_checks: (byId: PayloadChecks, evidence) =>
    firstOf(Object.entries(byId), ([id, checks]) =>
      checkPayload(checks, (event) => lastPayloadOf(id, event, evidence)),
    ),
  next_payload_checks: (byId: PayloadChecks, { allCalls }) =>
    firstOf(Object.entries(byId), ([id, checks]) =>
      checkPayload(checks, (event) => {
        const own = allCalls.filter((call) => call.id === id && (event === undefined || call.nativeEvent === event));
        return own.find(({ attempt }) => attempt > 0)?.payload ?? own[1]?.payload;
      }),
    ),
  model_context: (text: string | null, evidence) => equal(text, contextOf(evidence) ?? null),
  model_contexts: (texts: readonly string[], evidence) => equal(texts.join("\n\n"), contextOf(evidence) ?? ""),
  model_context_by_event: (byEvent: Readonly<Record<string, string>>, { contexts }) =>
    equal(byEvent, Object.fromEntries(Object.keys(byEvent).map((event) => [event, contexts.get(event)]))),
  model_context_max_chars: (most: number, evidence) => {
    const length = contextOf(evidence)?.length ?? 0;
    return holds(length > 0 && length <= most, most, length);
  },
  spilled: (isSpilled: boolean, { spilled }) => equal(isSpilled, spilled.length > 0),
  event_sequence: (wanted: readonly (readonly [string, string?])[], { calls }) =>
    equal(
      wanted,
      calls.map(({ nativeEvent, sessionId }, index) =>
        wanted[index]?.[1] === undefined ? [nativeEvent] : [nativeEvent, sessionId],
      ),
    ),
  events_fired: (names: readonly string[], { raised }) => {
    let at = 0;
    for (const name of raised) if (name === names[at]) at += 1;
    return holds(at === names.length, names, raised);
  },
  events_not_fired: (names: readonly string[], { raised }) =>
    holds(!names.some((name) => raised.includes(name)), names, raised),
  log: (entries: readonly Partial<HookLogEntry>[], { log }) => {
    if (entries.length === 0)
      return equal(
        [],
        log.filter(({ level }) => level !== "debug"),
      );
    return holds(
      entries.every((entry) => log.some((one) => contains(one, entry))),
      entries,
      log,
    );
  },
  log_contains: (code: string, { log }) =>
    holds(
      log.some((entry) => entry.code === code),
      code,
      log.map((entry) => entry.code),
    ),
  http_request: (wanted: HttpRequestExpectation, { calls }) => checkRequest(wanted, calls),
  headers: (wanted: Readonly<Record<string, string>>, { seen, calls }) => {
    const headers = (seen["headers"] as Headers | undefined) ?? requestsOf(calls).at(-1)?.headers ?? new Headers();
    return checkHeaders(wanted, headers);
  },
  same_header: (names: readonly string[], { calls }) => {
    const [first, second] = requestsOf(calls);
    return holds(
      second !== undefined && names.every((name) => first?.headers.get(name) === second.headers.get(name)),
      names,
      [first, second].map((request) => names.map((name) => request?.headers.get(name))),
    );
  },
  changed_header: (names: readonly string[], { calls }) => {
    const [first, second] = requestsOf(calls);
    return holds(
      second !== undefined && names.every((name) => first?.headers.get(name) !== second.headers.get(name)),
      names,
      [first, second].map((request) => names.map((name) => request?.headers.get(name))),
    );
  },
  attempts_min: (least: number, { seen }) => holds(Number(seen["attempts"] ?? 0) >= least, least, seen["attempts"]),
  next_attempt_min_delay_s: (least: number, { seen }) =>
    holds(Number(seen["next_delay_s"] ?? -1) >= least, least, seen["next_delay_s"]),
  list_status: (byId: Readonly<Record<string, string>>, evidence) => ofIds(byId, evidence, "list_status"),
  list_target: (byId: Readonly<Record<string, string>>, evidence) => ofIds(byId, evidence, "list_target"),
  canonical_by_id: (byId: Readonly<Record<string, string>>, evidence) => ofIds(byId, evidence, "canonical_by_id"),
  hook_timeout_by_id: (byId: Readonly<Record<string, number>>, evidence) => ofIds(byId, evidence, "hook_timeout_by_id"),
  doctor_flags: (codes: readonly string[], { seen }) =>
    equal(codes.toSorted(), ((seen["doctor_flags"] ?? []) as readonly string[]).toSorted()),
  approved_pairs_after: (pairs: readonly Pair[], { seen }) => {
    const kept = (seen["approved_pairs_after"] ?? []) as readonly Pair[];
    // an address may stand without its `POST`, as in `approved_pairs`
    const isKept = ([event, written]: Pair) => kept.some((one) => one[0] === event && isTarget(one[1], written));
    return holds(kept.length === pairs.length && pairs.every(isKept), pairs, kept);
  },
  approved_after: (ids: readonly string[], { seen }) =>
    equal(ids.toSorted(), ((seen["approved_after"] ?? []) as readonly string[]).toSorted()),
};

/** Keys that payloads have whatever the case hands over, in most systems and in single ones. */
const COMMON_KEYS: readonly string[] = [
  "session_id",
  "cwd",
  "hook_event_name",
  "event",
  "agent_id",
  "extra",
  "tool_name",
  "tool_input",
  "transcript_path",
  "permission_mode",
  "prompt_id",
  "effort",
  "agent_type",
  "hook_execution_id",
  "timestamp",
  "project_dir",
];

/** What single events of a system carry, and what its newest adds. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  claude: [
    "model",
    "source",
    "session_title",
    "tool_use_id",
    "tool_response",
    "permission_suggestions",
    "duration_ms",
    "is_interrupt",
    "stop_hook_active",
    "last_assistant_message",
    "agent_transcript_path",
    "background_tasks",
    "session_crons",
    "title",
    "custom_instructions",
  ],
  clawdcode: ["tool_use_id", "stop_reason", "level", "subagent_id"],
  starchild: ["model", "status", "stop_hook_active", "tool_names", "channel"],
  "hermes-gateway": ["event_type", "context"],
  native: ["type", "data"],
  hermes: [
    "profile",
    "tool_call_id",
    "turn_id",
    "api_request_id",
    "middleware_trace",
    "status",
    "error_type",
    "error_message",
    "sender_id",
    "duration_ms",
    "task_id",
    "child_session_id",
  ],
};

type PayloadChecks = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function checkPayload(
  checks: Readonly<Record<string, unknown>>,
  payloadAt: (event: string | undefined) => unknown,
): Problem | undefined {
  return firstOf(Object.entries(checks), ([check, wanted]) => {
    const { event, pointer, isLength } = readCheck(check);
    const found = atPointer(payloadAt(event), pointer);
    const got = isLength ? (found as { readonly length?: number } | undefined)?.length : found;
    if (isTypeWanted(wanted)) return holds(typeOf(got, wanted.type), { [check]: wanted }, { [check]: got });
    return isDeepStrictEqual(plain(wanted), plain(got))
      ? undefined
      : { expected: { [check]: wanted }, got: { [check]: got } };
  });
}

/** `[event:]pointer[:length]`; names of gateway events have a colon of their own. */
function readCheck(check: string): { readonly event?: string; readonly pointer: string; readonly isLength: boolean } {
  const isLength = check.endsWith(":length");
  const rest = isLength ? check.slice(0, -":length".length) : check;
  const slash = rest.indexOf("/");
  const event = slash > 0 ? rest.slice(0, slash - 1) : undefined;
  return { ...(event === undefined ? {} : { event }), pointer: slash === -1 ? "" : rest.slice(slash), isLength };
}

/** Source: https://www.rfc-editor.org/rfc/rfc6901 */
function atPointer(value: unknown, pointer: string): unknown {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (part, key) => (typeof part === "object" && part !== null ? (part as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isTypeWanted(wanted: unknown): wanted is { readonly type: string } {
  return typeof wanted === "object" && wanted !== null && "type" in wanted && Object.keys(wanted).length === 1;
}

function typeOf(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** Whether a value has everything that the subset has; objects recursively, all else equal. */
function contains(value: unknown, subset: unknown): boolean {
  const isObject = (one: unknown): one is object => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(subset)) return isDeepStrictEqual(plain(value), plain(subset));
  if (!isObject(value)) return false;
  return Object.entries(subset).every(
    ([key, part]) => Object.hasOwn(value, key) && contains((value as Record<string, unknown>)[key], part),
  );
}

function mostInFlight(id: string, calls: readonly ReachedCall[]): number {
  const counts = calls.flatMap((call) => (id === "*" ? [call.inFlight] : call.id === id ? [call.inFlightOfHook] : []));
  return Math.max(0, ...counts);
}

function requestsOf(calls: readonly ReachedCall[]) {
  return calls.flatMap(({ request }) => request ?? []);
}

interface HttpRequestExpectation {
  readonly method?: string;
  readonly url?: string;
  readonly content_type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function checkRequest(wanted: HttpRequestExpectation, calls: readonly ReachedCall[]): Problem | undefined {
  const request = requestsOf(calls).at(-1);
  if (request === undefined) return { expected: wanted, got: "no request" };
  const got = {
    method: request.method,
    url: request.url,
    content_type: request.headers.get("content-type")?.split(";")[0],
  };
  const { headers = {}, ...rest } = wanted;
  const url = rest.url === undefined ? {} : { url: new URL(rest.url).href };
  return contains(got, { ...rest, ...url }) ? checkHeaders(headers, request.headers) : { expected: wanted, got };
}

function checkHeaders(wanted: Readonly<Record<string, string>>, headers: Headers): Problem | undefined {
  const got = Object.fromEntries(Object.keys(wanted).map((name) => [name, headers.get(name) ?? ""]));
  // white space around a value is no part of it
  return equal(Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, value.trim()])), got);
}

function ofIds(wanted: Readonly<Record<string, unknown>>, { seen }: Evidence, key: string): Problem | undefined {
  const all = (seen[key] ?? {}) as Readonly<Record<string, unknown>>;
  return equal(wanted, Object.fromEntries(Object.keys(wanted).map((id) => [id, all[id]])));
}

function firstOf<Item>(items: readonly Item[], check: (item: Item) => Problem | undefined): Problem | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
