import { utf8 } from "./encoding";

/**
 * Compares two secrets in a time that tells nothing about where they differ. Texts count as UTF-8; a difference in
 * length alone does show.
 */
export function timingSafeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const left = typeof a === "string" ? utf8(a) : a;
  const right = typeof b === "string" ? utf8(b) : b;
  let difference = left.length ^ right.length;
  // always walks the received side whole, so that its length decides the time and not the secret
  for (let i = 0; i < right.length; i++) difference |= (left[i % (left.length || 1)] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
