import { GatewayError } from "#src/domain/errors";
import type { WebhookRequest } from "#src/domain/platform";
import { fromBase64, toBase64, toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";
import { prefixed } from "./prefixed";

/** Seconds that a signed timestamp is good for, to either side of our clock. */
const SIGNATURE_WINDOW_S = 300;

export type WebhookSource = "standard" | "github" | "gitlab" | "stripe" | "generic";

/** What a right signature covers beside the body. */
interface Proof {
  /** Seconds since the epoch, where the signature covers a time. */
  readonly timestamp?: string;
  /** The delivery's id, where the signature covers one. */
  readonly id?: string;
}

/** Who sent a webhook, as its signature proves it. */
export interface VerifiedWebhook extends Proof {
  readonly source: WebhookSource;
}

type Secrets = Readonly<Record<string, string>>;

interface Signed {
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly secret: string;
}

/** One way of signing. The first whose headers are there decides: a wrong signature never falls through to the next. */
interface Scheme {
  readonly source: WebhookSource;
  /** Key of the setting that holds the secret. */
  readonly secretKey: string;
  applies(headers: Headers, secrets: Secrets): boolean;
  /** What the signature proves; undefined when it is wrong. */
  verify(signed: Signed): Promise<Proof | undefined>;
}

/** A new scheme is one entry here and its secret among the settings. */
const SCHEMES: readonly Scheme[] = [
  // GitLab signs like Standard Webhooks once its hook has a signing token
  {
    source: "gitlab",
    secretKey: "gitlab_token",
    applies: (headers, secrets) => isStandard(headers) && isGitLab(headers) && isSigningToken(secrets["gitlab_token"]),
    verify: verifyStandard,
  },
  {
    source: "standard",
    secretKey: "standard_webhooks_secret",
    applies: (headers, secrets) => isStandard(headers) && !(isGitLab(headers) && secrets["gitlab_token"] !== undefined),
    verify: verifyStandard,
  },
  {
    source: "github",
    secretKey: "github_secret",
    applies: (headers) => headers.has("x-hub-signature-256"),
    verify: verifyGitHub,
  },
  {
    source: "gitlab",
    secretKey: "gitlab_token",
    applies: (headers) => headers.has("x-gitlab-token"),
    verify: verifyGitLab,
  },
  {
    source: "stripe",
    secretKey: "stripe_endpoint_secret",
    applies: (headers) => headers.has("stripe-signature"),
    verify: verifyStripe,
  },
  {
    source: "generic",
    secretKey: "generic_v2_secret",
    applies: (headers) => headers.has("x-webhook-signature-v2"),
    verify: verifyGeneric,
  },
  {
    source: "generic",
    secretKey: "generic_v2_secret",
    applies: (headers) => headers.has("authorization"),
    verify: verifyBearer,
  },
];

/** Keys of the settings of which any one turns webhooks on. */
export const SECRET_KEYS: ReadonlySet<string> = new Set(SCHEMES.map((scheme) => scheme.secretKey));

/**
 * Finds out who signed a webhook, by the headers that it carries.
 *
 * @throws GatewayError `signature_invalid`
 */
export async function verifyWebhook(request: WebhookRequest, secrets: Secrets, now: number): Promise<VerifiedWebhook> {
  const { headers, body } = request;
  const scheme = SCHEMES.find((one) => one.applies(headers, secrets));
  if (scheme === undefined) throw invalid("The webhook carries no signature that is known here.");
  const secret = secrets[scheme.secretKey];
  if (secret === undefined)
    throw invalid(`The webhook is signed the way of ${scheme.source}, for which no secret is set.`);
  const proof = await scheme.verify({ headers, body, secret });
  if (proof === undefined) throw invalid(`The ${scheme.source} signature of the webhook does not match.`);
  if (proof.timestamp !== undefined && Math.abs(now / 1000 - Number(proof.timestamp)) > SIGNATURE_WINDOW_S) {
    throw invalid("The webhook's signature is older than 5 minutes, or from the future.");
  }
  return { source: scheme.source, ...proof };
}

function isStandard(headers: Headers): boolean {
  return headers.has("webhook-signature") || headers.has("svix-signature");
}

function isGitLab(headers: Headers): boolean {
  return headers.has("x-gitlab-event") || headers.has("x-gitlab-token");
}

function isSigningToken(token: string | undefined): boolean {
  return token?.startsWith("whsec_") === true;
}

/** Sources: https://www.standardwebhooks.com, https://docs.svix.com/receiving/verifying-payloads/how-manual */
async function verifyStandard({ headers, body, secret }: Signed): Promise<Proof | undefined> {
  const prefix = headers.has("webhook-signature") ? "webhook" : "svix";
  const id = headers.get(`${prefix}-id`) ?? "";
  const timestamp = headers.get(`${prefix}-timestamp`) ?? "";
  if (id === "" || !isTimestamp(timestamp)) return undefined;
  const expected = await Promise.all(
    standardKeys(secret).map(
      async (key) => `v1,${toBase64(await hmacSha256(key, prefixed(`${id}.${timestamp}.`, body)))}`,
    ),
  );
  const given = (headers.get(`${prefix}-signature`) ?? "").split(" ");
  return isAmong(given, expected) ? { timestamp, id } : undefined;
}

/** `whsec_` says base64; without it a secret may be base64 all the same, or the key itself. */
function standardKeys(secret: string): readonly Uint8Array[] {
  const decoded = fromBase64(secret.replace(/^whsec_/, ""));
  const keys = secret.startsWith("whsec_") ? [decoded] : [utf8(secret), decoded];
  return keys.flatMap((key) => (key === undefined || key.length === 0 ? [] : [key]));
}

/** Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
async function verifyGitHub({ headers, body, secret }: Signed): Promise<Proof | undefined> {
  const expected = `sha256=${toHex(await hmacSha256(secret, body))}`;
  return timingSafeEqual(expected, headers.get("x-hub-signature-256") ?? "") ? {} : undefined;
}

/** Source: https://docs.gitlab.com/user/project/integrations/webhooks */
async function verifyGitLab({ headers, secret }: Signed): Promise<Proof | undefined> {
  return timingSafeEqual(secret, headers.get("x-gitlab-token") ?? "") ? {} : undefined;
}

/** While an endpoint's secret is rolled, one header holds a signature for each. Source: https://docs.stripe.com/webhooks */
async function verifyStripe({ headers, body, secret }: Signed): Promise<Proof | undefined> {
  const fields = (headers.get("stripe-signature") ?? "").split(",").map((field) => field.trim());
  const timestamp = fields.find((field) => field.startsWith("t="))?.slice(2) ?? "";
  if (!isTimestamp(timestamp)) return undefined;
  const expected = `v1=${toHex(await hmacSha256(secret, prefixed(`${timestamp}.`, body)))}`;
  return isAmong(fields, [expected]) ? { timestamp } : undefined;
}

/** Our own scheme, for senders that have none: Hermes Agent calls it V2. */
async function verifyGeneric({ headers, body, secret }: Signed): Promise<Proof | undefined> {
  const timestamp = headers.get("x-webhook-timestamp") ?? "";
  if (!isTimestamp(timestamp)) return undefined;
  const expected = toHex(await hmacSha256(secret, prefixed(`${timestamp}.`, body)));
  return timingSafeEqual(expected, headers.get("x-webhook-signature-v2") ?? "") ? { timestamp } : undefined;
}

async function verifyBearer({ headers, secret }: Signed): Promise<Proof | undefined> {
  const token = /^bearer +(.*)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(secret, token) ? {} : undefined;
}

function isTimestamp(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

/** Compares every pair, so that the time does not tell which one matched. */
function isAmong(given: readonly string[], expected: readonly string[]): boolean {
  return expected.map((one) => given.map((other) => timingSafeEqual(one, other)).includes(true)).includes(true);
}

function invalid(message: string): GatewayError {
  return new GatewayError("signature_invalid", message);
}
