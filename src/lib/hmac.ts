import { utf8 } from "./encoding";

/** HMAC-SHA256 of `data` under `key`; texts count as UTF-8. */
export async function hmacSha256(key: string | Uint8Array, data: string | Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign(algorithm, secret, bytesOf(data)));
}

/** SHA-256 of `data`; a text counts as UTF-8. */
export async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(data)));
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? utf8(data) : data;
}
