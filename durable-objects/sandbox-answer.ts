import { type ErrorCode, GatewayError } from "#src/domain/errors";
import { FsError, type FsErrorCode } from "#src/workspace/fs-error";
import type { Answer } from "#src/workspace/open-workspace";

const CODES: Partial<Record<FsErrorCode, ErrorCode>> = {
  ENOENT: "not_found",
  ENOSPC: "too_large",
  EFBIG: "too_large",
  EROFS: "forbidden",
};

/** What the caller is at fault for, or the outside, becomes an answer; our own mistakes are thrown. */
export async function answering<T>(work: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof GatewayError) return { ok: false, code: error.code, message: error.message };
    if (error instanceof FsError)
      return { ok: false, code: CODES[error.code] ?? "bad_request", message: error.message };
    throw error;
  }
}

/** The answer to a request that is not one. */
export async function refusal(message: string): Promise<Answer<never>> {
  return { ok: false, code: "bad_request", message };
}
