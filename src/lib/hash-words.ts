/**
 * A short name for a text: 16 hexadecimal digits, the same everywhere and for ever. For telling things apart, not
 * against anyone who tries: two FNV-1a hashes of 32 bits. Source: http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function hashWords(text: string): string {
  let forward = 0x811c9dc5;
  let backward = 0x811c9dc5 ^ text.length;
  for (let at = 0; at < text.length; at++) {
    forward = Math.imul(forward ^ text.charCodeAt(at), 0x01000193);
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - at), 0x01000193);
  }
  return hex(forward) + hex(backward);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
