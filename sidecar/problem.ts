import { STATUS_CODES } from "node:http";

/** Every refusal of the sidecar and its HTTP status. */
const STATUS = {
  body_invalid: 400,
  field_invalid: 400,
  session_missing: 400,
  unauthorized: 401,
  origin_refused: 403,
  path_outside: 403,
  permission_denied: 403,
  route_not_found: 404,
  file_not_found: 404,
  process_not_found: 404,
  terminal_not_found: 404,
  script_not_found: 404,
  method_not_allowed: 405,
  file_exists: 409,
  file_type_wrong: 409,
  folder_not_empty: 409,
  outcome_unknown: 409,
  process_ended: 409,
  precondition_failed: 412,
  body_too_large: 413,
  media_type_wrong: 415,
  range_invalid: 416,
  archive_invalid: 422,
  archive_unsafe: 422,
  hash_mismatch: 422,
  idempotency_mismatch: 422,
  text_not_found: 422,
  too_many: 429,
  internal: 500,
  unavailable: 501,
  stopping: 503,
  disk_quota: 507,
} as const;

/** What went wrong, as a program tells it. */
export type ProblemCode = keyof typeof STATUS;

/** The wire form of a refusal. Source: https://www.rfc-editor.org/rfc/rfc9457 */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  /** The field of the body or query, or the header, that was refused. */
  readonly field?: string;
}

/** A request that is refused, with a sentence for the caller. Holds no secret. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly field: string | undefined;

  constructor(code: ProblemCode, detail: string, options: { field?: string; cause?: unknown } = {}) {
    super(detail, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.field = options.field;
  }

  /** The HTTP status of this refusal. */
  get status(): number {
    return STATUS[this.code];
  }

  toJSON(): ProblemBody {
    return {
      type: `urn:talaria:sidecar:${this.code}`,
      title: STATUS_CODES[this.status] ?? "Error",
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.field !== undefined && { field: this.field }),
    };
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  ENOENT: ["file_not_found", "There is no such file."],
  EACCES: ["permission_denied", "The session's user may not do this."],
  EPERM: ["permission_denied", "The session's user may not do this."],
  EEXIST: ["file_exists", "There is such a file already."],
  ENOTDIR: ["file_type_wrong", "A part of the path is not a folder."],
  EISDIR: ["file_type_wrong", "The path is a folder."],
  ENOTEMPTY: ["folder_not_empty", "The folder is not empty."],
  EINVAL: ["file_type_wrong", "The system refused that for this kind of file."],
  ENXIO: ["file_type_wrong", "The path is no regular file."],
  ELOOP: ["path_outside", "The path goes through a symbolic link that is not followed."],
  ENAMETOOLONG: ["field_invalid", "The path is too long."],
  ENOSPC: ["disk_quota", "The disk is full."],
  EDQUOT: ["disk_quota", "The disk is full."],
};

/** What to tell the caller of a failure: the system's own errors have their codes, all else is internal. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = SYSTEM_ERRORS[code];
  if (known === undefined) return new Problem("internal", "The sidecar failed.", { cause: error });
  return new Problem(known[0], known[1], { cause: error });
}
