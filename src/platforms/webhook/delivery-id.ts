import type { WebhookRequest } from "#src/domain/platform";
import { toHex } from "#src/lib/encoding";
import { sha256 } from "#src/lib/hmac";
import { prefixed } from "./prefixed";
import type { VerifiedWebhook, WebhookSource } from "./signatures";

/** Milliseconds within which two webhooks without an id, a time or a difference count as one. */
const SAME_BODY_MS = 300_000;

/** Where each source names its delivery, best first, when its signature covers no id. */
const ID_HEADERS: Readonly<Record<WebhookSource, readonly string[]>> = {
  standard: [],
  github: ["x-github-delivery", "x-request-id"],
  gitlab: ["idempotency-key", "x-gitlab-event-uuid", "x-request-id"],
  stripe: [],
  generic: ["idempotency-key", "x-request-id"],
};

export interface DeliveryId {
  readonly id: string;
  readonly dedupeKeys: readonly string[];
}

/** What names a webhook through all its redeliveries; `payloadId` is the id that its payload gives itself. */
export async function deliveryId(
  request: WebhookRequest,
  verified: VerifiedWebhook,
  payloadId: string | undefined,
  now: number,
): Promise<DeliveryId> {
  const { source, timestamp } = verified;
  const signed = verified.id ?? (source === "stripe" ? payloadId : undefined);
  const named = ID_HEADERS[source].map((name) => request.headers.get(name) ?? "").find((id) => id !== "");
  const id = signed ?? named;
  if (id !== undefined) return { id, dedupeKeys: [`${source}:${id}`] };
  if (timestamp !== undefined) {
    const digest = await digestOf(`${timestamp}.`, request.body);
    return { id: digest, dedupeKeys: [`${source}:${digest}`] };
  }
  // The same alert may rightly come again tomorrow: only at about the same time is it a repetition. Two keys overlap,
  // so that a repetition is known across the border of two windows.
  const digest = await digestOf("", request.body);
  const window = Math.floor(now / SAME_BODY_MS);
  return { id: digest, dedupeKeys: [`${source}:${digest}:${window}`, `${source}:${digest}:${window + 1}`] };
}

async function digestOf(prefix: string, body: Uint8Array): Promise<string> {
  return toHex(await sha256(prefixed(prefix, body)));
}
