import { abortable } from "#src/lib/abortable";
import { decodeUtf8Strictly } from "#src/lib/encoding";

/** What a body came to: its text, or why it has none that can be used. */
export type BoundedText =
  | { readonly isText: true; readonly text: string }
  | { readonly isText: false; readonly problem: "too_large" | "not_utf8" };

/**
 * Reads a body's text up to a number of bytes, as they are after decompression. Whatever happens, the stream is read to
 * its end or cancelled: one that is left open holds one of the few connections that a Worker has.
 *
 * @throws what the connection throws, and the signal's reason
 */
export async function readBounded(response: Response, maxBytes: number, signal: AbortSignal): Promise<BoundedText> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { isText: true, text: "" };
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal);
      isWhole = done;
      if (done || value === undefined) break;
      size += value.byteLength;
      if (size > maxBytes) return { isText: false, problem: "too_large" };
      chunks.push(value);
    }
  } finally {
    // not awaited: a stream may take its time to end, and nobody needs to know
    if (!isWhole) reader.cancel().catch(() => undefined);
  }
  const text = decodeUtf8Strictly(joinBytes(chunks, size));
  return text === undefined ? { isText: false, problem: "not_utf8" } : { isText: true, text };
}

/** Lets go of a body that nobody reads. Never throws. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

function joinBytes(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
