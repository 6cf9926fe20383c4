import { type ErrorCode, GatewayError } from "#src/domain/errors";

/** What went wrong between us and a sidecar, one word each; the rest are the sidecar's own words. */
export type SidecarFault =
  /** Nobody answers there. */
  | "unreachable"
  /** It took the request and did not answer in time, or its answer broke off. */
  | "lost"
  /** It does not know us. */
  | "token_refused"
  /** It answered in another way than its protocol says. */
  | "protocol";

/** A request that a sidecar did not do. `fault` is one of ours, or the code of the sidecar's problem. */
export class SidecarError extends GatewayError {
  readonly fault: SidecarFault | (string & {});

  constructor(
    fault: SidecarFault | (string & {}),
    message: string,
    options: { cause?: unknown; status?: number } = {},
  ) {
    super(codeOf(fault), message, options);
    this.name = "SidecarError";
    this.fault = fault;
  }
}

/** What each word means to a caller. Source: docs/sidecar-protocol.md, problems. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  unreachable: "unavailable",
  lost: "unconfirmed",
  token_refused: "not_configured",
  protocol: "refused",
  unauthorized: "not_configured",
  origin_refused: "not_configured",
  body_invalid: "bad_request",
  field_invalid: "bad_request",
  session_missing: "bad_request",
  media_type_wrong: "bad_request",
  range_invalid: "bad_request",
  path_outside: "forbidden",
  permission_denied: "forbidden",
  file_not_found: "not_found",
  process_not_found: "not_found",
  script_not_found: "not_found",
  file_exists: "conflict",
  file_type_wrong: "conflict",
  folder_not_empty: "conflict",
  process_ended: "conflict",
  precondition_failed: "conflict",
  idempotency_mismatch: "conflict",
  outcome_unknown: "unconfirmed",
  internal: "unconfirmed",
  body_too_large: "too_large",
  disk_quota: "too_large",
  too_many: "rate_limited",
  unavailable: "not_configured",
  stopping: "unavailable",
};

function codeOf(fault: string): ErrorCode {
  return CODES[fault] ?? "refused";
}

/** Whether an error says this of a sidecar. */
export function isFault(error: unknown, ...faults: readonly string[]): error is SidecarError {
  return error instanceof SidecarError && faults.includes(error.fault);
}

/** Statuses with which a proxy says that nobody is behind it. */
const NOBODY_THERE: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 530]);
const MAX_DETAIL_CHARS = 500;

/** Reads a refusal. `host` is where the sidecar is, for people. */
export async function readRefusal(response: Response, host: string): Promise<SidecarError> {
  const { status } = response;
  const problem = await readProblem(response);
  if (problem === undefined && NOBODY_THERE.has(status)) return unreachable(host, { status });
  if (status === 401 || problem?.code === "unauthorized") return tokenRefused(host);
  if (problem === undefined)
    return new SidecarError("protocol", `What answers at ${host} is no sidecar (HTTP ${status}).`, { status });
  return new SidecarError(problem.code, `The sidecar refused: ${problem.detail}`, { status });
}

async function readProblem(response: Response): Promise<{ code: string; detail: string } | undefined> {
  const text = await response.text().catch(() => "");
  if (!/^application\/(?:problem\+)?json/i.test(response.headers.get("content-type") ?? "")) return undefined;
  try {
    const { code, detail } = JSON.parse(text) as { code?: unknown; detail?: unknown }; // checked here
    if (typeof code !== "string" || typeof detail !== "string") return undefined;
    return { code: code.slice(0, 64), detail: detail.slice(0, MAX_DETAIL_CHARS) };
  } catch {
    return undefined; // it says that it is JSON, and is not
  }
}

export function unreachable(host: string, options: { cause?: unknown; status?: number } = {}): SidecarError {
  const message = `The sidecar at ${host} cannot be reached. The workspace's files are kept; commands work again when it answers.`;
  return new SidecarError("unreachable", message, options);
}

function tokenRefused(host: string): SidecarError {
  const message = `The sidecar at ${host} refused the token: SIDECAR_TOKEN must be the same there and here.`;
  return new SidecarError("token_refused", message, { status: 401 });
}

export function lost(host: string, cause?: unknown): SidecarError {
  return new SidecarError("lost", `The sidecar at ${host} took a request and did not answer it.`, { cause });
}

/** What the sidecar sent is not what its protocol says. */
export function brokenProtocol(what: string, cause?: unknown): SidecarError {
  return new SidecarError("protocol", `The sidecar's answer is not its protocol's: ${what}.`, { cause });
}
