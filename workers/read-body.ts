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
  if (Number.isFinite(declared)) return bounded(new Uint8Array(await request.arrayBuffer()), maxBytes);
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
  const bytes = await readBody(request, maxBytes);
  refuseDeep(bytes);
  const text = decodeUtf8Strictly(bytes);
  if (text === undefined) throw new GatewayError("bad_request", "The body is not UTF-8.");
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

/**
 * Refuses JSON that nests deeper than is read; brackets inside strings do not count.
 * @throws GatewayError `bad_request`
 */
export function refuseDeep(json: Uint8Array): void {
  let depth = 0;
  let inString = false;
  // marks of JSON are ASCII, and no byte of a longer character is: the text need not be decoded
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new GatewayError("bad_request", `The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

/** A length that was told need not be true. */
function bounded(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The body is larger than ${maxBytes} bytes.`);
}
