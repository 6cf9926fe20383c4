import { fromBase64, toBase64, utf8 } from "#src/lib/encoding";

/** Bytes of a new shared secret; Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
const MAX_SECRET_BYTES = 64;

/** Bytes of an ed25519 seed, public key, and of the two after each other. */
const SEED_BYTES = 32;
const KEY_PAIR_BYTES = 64;

/** What PKCS #8 puts before an ed25519 seed. Source: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8_PREFIX = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]);

/**
 * A key as operators write it down. `whsec_`: shared, base64; `whsk_`: ed25519, base64 of the seed, alone or with the
 * public key behind it; anything else: shared, its own UTF-8 bytes.
 */
export type SigningKey =
  | { readonly version: "v1"; readonly bytes: Uint8Array }
  | { readonly version: "v1a"; readonly seed: Uint8Array };

/** Reads a signing key; undefined when its prefix promises what does not follow. */
export function parseSigningKey(secret: string): SigningKey | undefined {
  if (secret.startsWith("whsk_")) {
    const bytes = fromBase64(secret.slice("whsk_".length));
    const isKey = bytes?.length === SEED_BYTES || bytes?.length === KEY_PAIR_BYTES;
    return bytes !== undefined && isKey ? { version: "v1a", seed: bytes.slice(0, SEED_BYTES) } : undefined;
  }
  if (secret.startsWith("whpk_")) return undefined;
  const bytes = secret.startsWith("whsec_") ? fromBase64(secret.slice("whsec_".length)) : utf8(secret);
  return bytes === undefined || bytes.length === 0 ? undefined : { version: "v1", bytes };
}

/** A new shared secret, `whsec_...`. `random` gives as many bytes as asked for. */
export function newSharedSecret(random: (bytes: number) => Uint8Array, bytes: number = SECRET_BYTES): string {
  if (bytes < 24 || bytes > MAX_SECRET_BYTES) throw new RangeError(`A secret has 24 to 64 bytes, not ${bytes}.`);
  return `whsec_${toBase64(random(bytes))}`;
}

/** A new ed25519 pair: `whsk_...` to keep, `whpk_...` to publish. */
export async function newKeyPair(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  // the union of what generateKey may give is a pair for ed25519
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  // exporting in a binary format gives bytes
  const pkcs8 = new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer);
  const open = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const seed = pkcs8.slice(PKCS8_PREFIX.length, PKCS8_PREFIX.length + SEED_BYTES);
  return { privateKey: `whsk_${toBase64(joined(seed, open))}`, publicKey: `whpk_${toBase64(open)}` };
}

/** The public half of a `whsk_` key that holds both, for those who verify what it signs. */
export function publicKeyOf(privateKey: string): string | undefined {
  const bytes = privateKey.startsWith("whsk_") ? fromBase64(privateKey.slice("whsk_".length)) : undefined;
  return bytes?.length === KEY_PAIR_BYTES ? `whpk_${toBase64(bytes.slice(SEED_BYTES))}` : undefined;
}

/** The ed25519 signature of a text under a seed. */
export async function signEd25519(seed: Uint8Array, text: Uint8Array): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("pkcs8", joined(PKCS8_PREFIX, seed), "Ed25519", false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, text));
}

/** Whether an ed25519 signature is that of the public key's owner. Never throws. */
export async function verifyEd25519(publicKey: string, signature: Uint8Array, text: Uint8Array): Promise<boolean> {
  const bytes = publicKey.startsWith("whpk_") ? fromBase64(publicKey.slice("whpk_".length)) : undefined;
  if (bytes?.length !== SEED_BYTES) return false;
  try {
    const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, text);
  } catch {
    return false;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return Uint8Array.from([...first, ...second]);
}
