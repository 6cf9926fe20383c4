import { GatewayError } from "#src/domain/errors";
import { decodeUtf8Strictly } from "#src/lib/encoding";

/** Deepest nesting of JSON that is read: what people send has less, and a recursive reader could not bear a million. */
const MAX_DEPTH = 64;

/**
 * Reads a request's bytes, at most `maxBytes` of them.
 * @throws GatewayError `too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (Number.isFinite(declared)) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * Reads a request's JSON object.
 * @throws GatewayError `too_large` | `bad_request`
 */
export async function readJson(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const text = decodeUtf8Strictly(await readBody(request, maxBytes));
  if (text === undefined) throw new GatewayError("bad_request", "The body is not UTF-8.");
  if (isDeep(text)) throw new GatewayError("bad_request", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GatewayError("bad_request", "The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new GatewayError("bad_request", "The body is not a JSON object.");
  return { ...value };
}

/** Whether a JSON text nests deeper than is read; brackets inside strings do not count. */
export function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return false;
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The body is larger than ${maxBytes} bytes.`);
}
