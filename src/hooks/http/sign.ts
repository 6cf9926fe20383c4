import type { HookSignature } from "#src/domain/hook";
import { toBase64, toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { parseSigningKey, signEd25519 } from "./signing-key";

/** What is signed: exactly these bytes go out. */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds of this try. */
  readonly timestampSeconds: number;
  readonly body: string;
}

export interface SigningOptions {
  /** Newest first; during a rotation the older one follows. None: the message goes out unsigned. */
  readonly secrets: readonly string[];
  /** Schemes of other systems beside Standard Webhooks. */
  readonly schemes: readonly HookSignature[];
  /** Leaves Standard Webhooks' own signature out. */
  readonly onlyCompatible?: boolean;
}

type CompatibleScheme = Exclude<HookSignature, "standard">;

/** Signs for receivers that know one other system. They take a secret as it is written, whatever it begins with. */
const COMPATIBLE: Record<
  CompatibleScheme,
  (secrets: readonly string[], message: SignedMessage) => Promise<Record<string, string>>
> = {
  /** Source: https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
  async github(secrets, { body }) {
    const [newest] = await hexSignatures(secrets, body);
    return { "x-hub-signature-256": `sha256=${newest}` };
  },
  /** Source: https://docs.stripe.com/webhooks#verify-manually */
  async stripe(secrets, { body, timestampSeconds }) {
    const signatures = await hexSignatures(secrets, `${timestampSeconds}.${body}`);
    return { "stripe-signature": [`t=${timestampSeconds}`, ...signatures.map((hex) => `v1=${hex}`)].join(",") };
  },
  /** Source: https://api.slack.com/authentication/verifying-requests-from-slack */
  async slack(secrets, { body, timestampSeconds }) {
    const [newest] = await hexSignatures(secrets, `v0:${timestampSeconds}:${body}`);
    return { "x-slack-request-timestamp": String(timestampSeconds), "x-slack-signature": `v0=${newest}` };
  },
  async hermes(secrets, { body }) {
    const [newest] = await hexSignatures(secrets, body);
    return { "x-hermes-signature-256": `sha256=${newest}` };
  },
};

/**
 * The headers that prove who sent a message: Standard Webhooks' three, and those of the schemes asked for. Undefined
 * when a secret is malformed: a message that should be signed never goes out without.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signMessage(
  message: SignedMessage,
  { secrets, schemes, onlyCompatible }: SigningOptions,
): Promise<Record<string, string> | undefined> {
  const headers: Record<string, string> = {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestampSeconds),
  };
  if (secrets.length === 0) return headers;
  const signatures = await Promise.all(secrets.map((secret) => standardSignature(secret, message)));
  if (signatures.includes(undefined)) return undefined;
  const compatible = schemes.filter((scheme) => scheme !== "standard");
  const shared = secrets.filter((secret) => parseSigningKey(secret)?.version === "v1");
  if (onlyCompatible !== true || compatible.length === 0) headers["webhook-signature"] = signatures.join(" ");
  if (shared.length === 0 && compatible.length > 0) return undefined;
  for (const scheme of compatible) Object.assign(headers, await COMPATIBLE[scheme](shared, message));
  return headers;
}

/** The text that Standard Webhooks signs. */
export function signedText({ id, timestampSeconds, body }: SignedMessage): Uint8Array {
  return utf8(`${id}.${timestampSeconds}.${body}`);
}

async function standardSignature(secret: string, message: SignedMessage): Promise<string | undefined> {
  const key = parseSigningKey(secret);
  if (key === undefined) return undefined;
  const text = signedText(message);
  const bytes = key.version === "v1" ? await hmacSha256(key.bytes, text) : await signEd25519(key.seed, text);
  return `${key.version},${toBase64(bytes)}`;
}

async function hexSignatures(secrets: readonly string[], text: string): Promise<readonly string[]> {
  return Promise.all(secrets.map(async (secret) => toHex(await hmacSha256(secret, text))));
}
