const encoder = new TextEncoder();
const lenientDecoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false });
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return lenientDecoder.decode(bytes);
}

/** Text of UTF-8 bytes, or undefined when they are not UTF-8. */
export function decodeUtf8Strictly(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes of a hex text, or undefined when it is not hex of whole bytes. */
export function fromHex(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(hex)) return undefined;
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // fromCharCode takes its bytes as arguments, of which an engine bears only so many
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Bytes of standard or URL-safe base64, padded or not; undefined when it is neither. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Bytes as base64 for URLs and ids: `-` and `_`, no padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
