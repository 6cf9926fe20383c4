import { Problem } from "./problem.ts";

/** A part of a file; both ends are in it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header with one range of bytes.
 *
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
 *
 * @throws {@link Problem} range_invalid
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (from === "" && to === "") throw invalid(size);
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (start > end) throw invalid(size);
  return { start, end };
}

function invalid(size: number): Problem {
  return new Problem("range_invalid", `The range must be one, of bytes, and within the file's ${size}.`, {
    field: "range",
  });
}
