import { decodeUtf8, utf8 } from "./encoding";

/** Share of the room that the beginning gets: what went wrong is mostly said at the end. */
const HEAD_SHARE = 0.4;

/** Room for the sentence that stands where something was left out. */
const MARKER_BYTES = 100;

const LINE_BREAK = 10;

export interface CutLimits {
  /** Longest result in bytes of UTF-8, the marker included; at least 200. */
  readonly maxBytes: number;
  /** Most lines of the result, the marker's not counted. */
  readonly maxLines?: number;
}

/**
 * A text that fits, as it is; of a longer one the beginning and the end, with a line between them that says how much
 * was left out.
 */
export function cutMiddle(text: string, { maxBytes, maxLines = Number.POSITIVE_INFINITY }: CutLimits): string {
  const bytes = utf8(text);
  const breaks = lineBreaksOf(bytes);
  // a line break at the very end begins no line of its own
  const lines = breaks.length + (bytes.at(-1) === LINE_BREAK ? 0 : 1);
  if (bytes.length <= maxBytes && lines <= maxLines) return text;
  const headBytes = Math.floor((maxBytes - MARKER_BYTES) * HEAD_SHARE);
  const tailBytes = maxBytes - MARKER_BYTES - headBytes;
  const headLines = Math.floor(maxLines * HEAD_SHARE);
  const hasTooManyLines = lines > maxLines;
  const headEnd = hasTooManyLines ? (breaks[headLines - 1] ?? -1) + 1 : bytes.length;
  const tailStart = hasTooManyLines ? (breaks[lines - (maxLines - headLines) - 1] ?? -1) + 1 : 0;
  const head = boundaryBefore(bytes, Math.min(headEnd, headBytes));
  const tail = boundaryAfter(bytes, Math.max(tailStart, bytes.length - tailBytes));
  const omitted = breaks.filter((at) => at >= head && at < tail).length;
  const marker = `[... ${tail - head} bytes${omitted > 0 ? ` on ${omitted} lines` : ""} left out ...]`;
  const start = decodeUtf8(bytes.subarray(0, head));
  return `${start}${start === "" || start.endsWith("\n") ? "" : "\n"}${marker}\n${decodeUtf8(bytes.subarray(tail))}`;
}

function lineBreaksOf(bytes: Uint8Array): readonly number[] {
  const breaks: number[] = [];
  for (let at = bytes.indexOf(LINE_BREAK); at !== -1; at = bytes.indexOf(LINE_BREAK, at + 1)) breaks.push(at);
  return breaks;
}

/** The nearest place at or before `at` where a character begins. */
function boundaryBefore(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && isInside(bytes[place])) place--;
  return place;
}

function boundaryAfter(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place < bytes.length && isInside(bytes[place])) place++;
  return place;
}

/** Whether a byte goes on with a character that began before it. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
