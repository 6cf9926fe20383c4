import { GatewayError } from "#src/domain/errors";
import type { WebhookRequest } from "#src/domain/platform";
import { toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";

/** Seconds that a signature is good for, to either side of our clock. */
const SIGNATURE_WINDOW_S = 300;

/**
 * Checks that Slack signed these bytes within the last five minutes.
 * Source: https://docs.slack.dev/authentication/verifying-requests-from-slack
 *
 * @throws GatewayError `signature_invalid`
 */
export async function verifySignature(request: WebhookRequest, signingSecret: string, now: number): Promise<void> {
  // an empty key is no key, and HMAC refuses it with an error of its own
  if (signingSecret === "") throw invalid("No signing secret is set for Slack.");
  const timestamp = request.headers.get("x-slack-request-timestamp") ?? "";
  const signature = request.headers.get("x-slack-signature") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || signature === "") throw invalid("The request carries no Slack signature.");
  if (Math.abs(now / 1000 - Number(timestamp)) > SIGNATURE_WINDOW_S) {
    throw invalid("The Slack signature is older than 5 minutes, or from the future.");
  }
  const expected = `v0=${toHex(await hmacSha256(signingSecret, signedBytes(timestamp, request.body)))}`;
  if (!timingSafeEqual(expected, signature)) throw invalid("The Slack signature does not match.");
}

function signedBytes(timestamp: string, body: Uint8Array): Uint8Array {
  const prefix = utf8(`v0:${timestamp}:`);
  const bytes = new Uint8Array(prefix.length + body.length);
  bytes.set(prefix);
  bytes.set(body, prefix.length);
  return bytes;
}

function invalid(message: string): GatewayError {
  return new GatewayError("signature_invalid", message);
}
