import type { HookDialectName, HookResult, HookTarget } from "#src/domain/hook";
import { abortable } from "#src/lib/abortable";
import { utf8 } from "#src/lib/encoding";
import { sanitizeLine } from "#src/lib/sanitize-line";
import { type HookCall, type HookTransport, timedOutAfter } from "../transports/transport";
import { resolveConfiguredHeaders } from "./configured-headers";
import { MAX_BODY_BYTES, MAX_DECISION_BYTES, fitBody } from "./fit-body";
import { type GuardVerdict, guardUrl } from "./guard-url";
import { hookRequestHeaders, newTraceparent } from "./headers";
import type { HookUrlPolicy } from "./judge-url";
import { discardBody } from "./read-bounded";
import { type Outcome, failed, readResponse } from "./read-response";
import type { ResolvePublic } from "./resolve-public";
import { signMessage } from "./sign";
import { verifyResponse } from "./verify-response";

export type HttpTarget = Extract<HookTarget, { readonly type: "http" }>;

/** What calls to HTTP hooks may use of the world, and what the operator says of them; tests inject it. */
export interface HttpHookPorts {
  readonly fetch: typeof fetch;
  readonly resolvePublic: ResolvePublic;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls back after so many milliseconds; what it returns ends the wait. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** As many random bytes as asked for. */
  readonly random: (bytes: number) => Uint8Array;
  /** Our version, as receivers read it. */
  readonly version: string;
  readonly policyOf: (dialect: HookDialectName) => HookUrlPolicy;
  /** Secrets that a hook's requests are signed with, newest first; none leaves them unsigned. */
  readonly secretsOf: (hookId: string) => readonly string[];
  /** The value of a secret that the operator lets hooks name in headers; undefined for every other name. */
  readonly readSecret: (name: string) => string | undefined;
  /** The approval that a hook runs under: what is known of its host's addresses is not shared across. */
  readonly scopeOf: (hookId: string) => string;
  /** A smaller limit in bytes, for a receiver that called a body too large (413). */
  readonly maxBytesOf?: (hookId: string) => number | undefined;
}

/** A result with what the guard said of the URL, for logs and lists. */
export interface HttpHookResult extends HookResult {
  readonly guard?: GuardVerdict;
  /** Requests that left, the retry included. */
  readonly requests: number;
}

/** Longest that a connection's error may be when it is told, in characters. */
const MAX_ERROR_CHARS = 200;

/** Dialects whose hooks may answer in plain text over HTTP. */
const TEXT_DIALECTS: ReadonlySet<HookDialectName> = new Set(["clawdcode"]);

/** Reaches hooks that are HTTP endpoints. */
export function httpTransport(ports: HttpHookPorts): HookTransport<HttpTarget> {
  return { type: "http", call: async (call, target) => callHttpHook(call, target, ports) };
}

/**
 * Calls an HTTP hook: guard, one signed request without redirects, an answer within limits. Never throws; what is told
 * of a failure holds neither secrets nor anything that the other side said.
 */
export async function callHttpHook(call: HookCall, target: HttpTarget, ports: HttpHookPorts): Promise<HttpHookResult> {
  const startedAt = ports.now();
  const ended = new AbortController();
  const run: Run = { call, target, ports, signal: ended.signal, requests: 0 };
  const endTimer = ports.after(call.timeoutMs, () => ended.abort());
  let outcome: GuardedOutcome;
  try {
    outcome = await guardAndSend(run);
  } catch {
    // time ran out while the name was resolved; else it is one of our own ports, whose words are not for others
    outcome = ended.signal.aborted
      ? failed("hook.timeout", timedOutAfter(call.timeoutMs))
      : failed("hook.exception", "the call could not be made");
  } finally {
    endTimer();
  }
  return { ...outcome, requests: run.requests, durationMs: ports.now() - startedAt };
}

interface Run {
  readonly call: HookCall;
  readonly target: HttpTarget;
  readonly ports: HttpHookPorts;
  /** Aborts when time is up. */
  readonly signal: AbortSignal;
  requests: number;
}

type GuardedOutcome = Outcome & { readonly guard?: GuardVerdict };

async function guardAndSend(run: Run): Promise<GuardedOutcome> {
  const { signal } = run;
  const body = boundedBody(run);
  if (body === undefined) return failed("hook.exception", "the event is too large");
  const guard = await abortable(guardTarget(run), signal);
  if (guard.class !== "public") return { ...failed("hook.ssrf_blocked", `address refused (${guard.class})`), guard };
  const first = await trySend(run, guard.url, body);
  if (!mayTryAgain(first, run)) return { ...first.outcome, guard };
  // what the name resolves to is judged before every request
  const again = await abortable(guardTarget(run), signal);
  if (again.class !== "public") return { ...first.outcome, guard: again };
  const second = await trySend(run, again.url, body);
  return { ...second.outcome, guard: again };
}

async function guardTarget({ call, target, ports, signal }: Run): Promise<GuardVerdict> {
  const { id, dialect } = call.hook;
  const { resolvePublic, policyOf, scopeOf } = ports;
  const { limitedTo } = target;
  const policy = { ...policyOf(dialect), ...(limitedTo === undefined ? {} : { limitedTo }) };
  return guardUrl(target.url, { policy, resolvePublic, scope: scopeOf(id), signal });
}

/** The body as it was made, or with its largest fields cut; undefined when what must stay is too large. */
function boundedBody({ call, ports }: Run): string | undefined {
  const { hook, mode, payload, occurrence } = call;
  const usual = mode === "decision" ? MAX_DECISION_BYTES : MAX_BODY_BYTES;
  const maxBytes = Math.min(usual, ports.maxBytesOf?.(hook.id) ?? usual);
  const body = call.body();
  if (utf8(body).length <= maxBytes) return body;
  const isNative = hook.dialect === "native";
  const options = { event: occurrence.event, ...(isNative ? { listCutsIn: "data" as const } : {}) };
  const fitted = fitBody(payload, { ...options, maxBytes });
  // a receiver's own limit is a wish where the event must stay whole
  const atUsual = fitted.fits || maxBytes === usual ? fitted : fitBody(payload, { ...options, maxBytes: usual });
  return atUsual.fits ? atUsual.body : undefined;
}

interface Attempt {
  readonly outcome: Outcome;
  /** No answer came at all. */
  readonly isUnreached?: true;
}

async function trySend(run: Run, url: URL, body: string): Promise<Attempt> {
  const { ports, signal } = run;
  const headers = await requestHeaders(run, body, url.protocol === "https:");
  if (headers === undefined) return { outcome: failed("hook.exception", "its signing secret is malformed") };
  run.requests += 1;
  const { fetch } = ports;
  const sent = (async () => fetch(url.href, { method: "POST", headers, body, redirect: "manual", signal }))();
  let response: Response;
  try {
    response = await abortable(sent, signal);
  } catch (cause) {
    // an answer that comes after all must not hold its connection
    sent.then(discardBody, () => undefined);
    return { outcome: unanswered(cause, run), isUnreached: true };
  }
  try {
    return { outcome: await readOutcome(run, response) };
  } catch (cause) {
    return { outcome: unanswered(cause, run) };
  }
}

async function readOutcome({ call, target, ports, signal }: Run, response: Response): Promise<Outcome> {
  const { responseKey, blockStatuses, acceptText } = target;
  const now = ports.now();
  const verify = async (key: string, headers: Headers, body: string): Promise<boolean> =>
    verifyResponse(key, { id: call.occurrence.id, headers, body, now });
  return readResponse(response, {
    blockStatuses,
    acceptsText: acceptText === true || TEXT_DIALECTS.has(call.hook.dialect),
    isObserver: call.mode === "observe",
    timeoutMs: call.timeoutMs,
    now,
    signal,
    ...(responseKey === undefined ? {} : { verify: async (headers, body) => verify(responseKey, headers, body) }),
  });
}

async function requestHeaders(
  { call, target, ports, requests }: Run,
  body: string,
  isHttps: boolean,
): Promise<Record<string, string> | undefined> {
  const { hook, occurrence, mode, depth, deadlineAt } = call;
  const signed = await signMessage(
    { id: occurrence.id, timestampSeconds: Math.floor(ports.now() / 1000), body },
    {
      secrets: ports.secretsOf(hook.id),
      schemes: target.signature,
      onlyCompatible: target.onlyCompatible === true,
    },
  );
  if (signed === undefined) return undefined;
  const configured = resolveConfiguredHeaders(target.headers, {
    dialect: hook.dialect,
    allowedSecrets: target.allowedSecrets,
    readSecret: ports.readSecret,
    isHttps,
  });
  const own = hookRequestHeaders({
    version: ports.version,
    hookId: hook.id,
    dialect: hook.dialect,
    event: occurrence.event,
    nativeEvent: hook.nativeEvent,
    eventId: occurrence.id,
    mode,
    attempt: call.attempt + requests,
    deadlineAt,
    depth,
    traceparent: newTraceparent(ports.random),
  });
  return { ...configured.headers, ...own, ...signed };
}

/** A decision may be asked for once more when it was not reached and more than half of the time is left. */
function mayTryAgain({ outcome, isUnreached }: Attempt, { call, target, ports }: Run): boolean {
  if (call.mode !== "decision" || target.retry !== 1) return false;
  const isWorthIt =
    (isUnreached === true && outcome.code === "hook.network") || outcome.status === 502 || outcome.status === 503;
  return isWorthIt && call.deadlineAt - ports.now() > call.timeoutMs / 2;
}

function unanswered(cause: unknown, { call, signal }: Run): Outcome {
  if (signal.aborted) return failed("hook.timeout", timedOutAfter(call.timeoutMs));
  return failed("hook.network", connectionError(cause));
}

/** The error as reported, but for addresses: secrets may stand in their paths and queries. */
function connectionError(cause: unknown): string {
  if (!(cause instanceof Error)) return "the connection failed";
  // Node's fetch says only "fetch failed" and keeps the reason inside
  const { message } = cause.cause instanceof Error ? cause.cause : cause;
  const words = sanitizeLine(message.replaceAll(/\b[a-z]+:\/\/\S+/gi, "[address]")).slice(0, MAX_ERROR_CHARS);
  return words === "" ? "the connection failed" : words;
}
