import { utf8 } from "#src/lib/encoding";

/** A webhook's body after a text, as most schemes sign it: the bytes as they came, never re-written. */
export function prefixed(prefix: string, body: Uint8Array): Uint8Array {
  const head = utf8(prefix);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}
