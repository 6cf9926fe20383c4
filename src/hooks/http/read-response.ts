import type { HookLogCode, HookResult } from "#src/domain/hook";
import { retryAfterMs } from "#src/lib/retry-after";
import { resultOfExec } from "../transports/command";
import { EXEC_CONTENT_TYPE, readExecEnvelope } from "./exec-envelope";
import { type BoundedText, discardBody, readBounded } from "./read-bounded";

/** Largest answer in bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Longest reason that is taken from a text, in characters. */
const MAX_REASON_CHARS = 400;

/** Statuses by which a receiver or Cloudflare before it says that time ran out. */
const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 522, 524]);

/** A result but for how long it took. */
export type Outcome = Omit<HookResult, "durationMs">;

export interface ReadOptions {
  /** Statuses by which this hook blocks. */
  readonly blockStatuses: readonly number[];
  /** Plain text is an answer too: the dialect or the hook says so. */
  readonly acceptsText: boolean;
  /** An observer's answer is not read. */
  readonly isObserver: boolean;
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Says whether an answer is signed as it must be; absent when it need not be. */
  readonly verify?: (headers: Headers, body: string) => Promise<boolean>;
}

/**
 * What a receiver's answer comes to, as a command's exit code. Its body is read within limits or let go; nothing of it
 * stands in `why`.
 *
 * @throws what the connection throws while the body is read, and the signal's reason
 */
export async function readResponse(response: Response, options: ReadOptions): Promise<Outcome> {
  const isBlock = !response.ok && !options.isObserver && options.blockStatuses.includes(response.status);
  if (options.isObserver || (!response.ok && !isBlock)) {
    discardBody(response);
    return response.ok ? succeeded("", response) : statusFailure(response, options.now);
  }
  const body = await readBody(response, options.signal);
  if (!body.isText) return bodyFailure(body.problem, response.status);
  if (options.verify !== undefined && !(await options.verify(response.headers, body.text)))
    return failed("hook.tampered", "its answer is not signed with its key", response.status);
  if (isBlock) return { exit: 2, stdout: "", stderr: blockReason(body.text), via: "http", status: response.status };
  return readAnswer(body.text, response, options);
}

/** A result of a call that came to nothing. */
export function failed(code: HookLogCode, why: string, status?: number): Outcome {
  const isTimeout = code === "hook.timeout";
  return {
    exit: isTimeout ? 124 : 1,
    stdout: "",
    stderr: "",
    via: "http",
    code,
    why,
    ...(status === undefined ? {} : { status }),
  };
}

async function readBody(response: Response, signal: AbortSignal): Promise<BoundedText> {
  const declared = Number(response.headers.get("content-length") ?? "0");
  if (declared <= MAX_RESPONSE_BYTES || Number.isNaN(declared))
    return readBounded(response, MAX_RESPONSE_BYTES, signal);
  discardBody(response);
  return { isText: false, problem: "too_large" };
}

function bodyFailure(problem: "too_large" | "not_utf8", status: number): Outcome {
  return problem === "too_large"
    ? failed("hook.response_too_large", "its answer is larger than 64 KiB", status)
    : failed("hook.invalid_json", "unparseable stdout (expected a JSON object)", status);
}

function statusFailure({ status, headers }: Response, now: number): Outcome {
  const why = `HTTP ${status}`;
  if (TIMEOUT_STATUSES.has(status)) return failed("hook.timeout", why, status);
  if (status === 410) return { ...failed("hook.gone", why, status), gone: true };
  if (status >= 300 && status < 400) return failed("hook.redirect", why, status);
  const wait = status === 429 || status === 503 ? retryAfterMs(headers.get("retry-after"), now) : undefined;
  return { ...failed("hook.http_status", why, status), ...(wait === undefined ? {} : { retryAfterMs: wait }) };
}

function readAnswer(text: string, response: Response, { acceptsText, timeoutMs }: ReadOptions): Outcome {
  const contentType = mediaType(response);
  if (contentType === EXEC_CONTENT_TYPE) return readCommand(text, response.status, timeoutMs);
  const isAnswer = text.trim() === "" || isJsonObject(text) || (acceptsText && contentType === "text/plain");
  if (isAnswer) return succeeded(text, response);
  return failed("hook.invalid_json", "unparseable stdout (expected a JSON object)", response.status);
}

function readCommand(text: string, status: number, timeoutMs: number): Outcome {
  const envelope = readExecEnvelope(text);
  if (envelope === undefined) return failed("hook.invalid_json", "its exec envelope is malformed", status);
  const { durationMs: _own, ...outcome } = resultOfExec(envelope, timeoutMs);
  return { ...outcome, status };
}

function succeeded(stdout: string, response: Response): Outcome {
  const contentType = mediaType(response);
  return {
    exit: 0,
    stdout,
    stderr: "",
    via: "http",
    status: response.status,
    ...(contentType === "" ? {} : { contentType }),
  };
}

/** The sentence of a receiver that blocks by its status. */
function blockReason(text: string): string {
  const { reason, message } = objectIn(text) ?? {};
  const said = [reason, message].find((each) => typeof each === "string" && each.trim() !== "");
  if (typeof said === "string") return said;
  return text.trim().slice(0, MAX_REASON_CHARS) || "Blocked by hook.";
}

function isJsonObject(text: string): boolean {
  return objectIn(text) !== undefined;
}

function objectIn(text: string): { readonly reason?: unknown; readonly message?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
