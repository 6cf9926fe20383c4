import { expect, it } from "vitest";
import type { VerifiedWebhook } from "#src/platforms/webhook/signatures";
import { deliveryId } from "#src/platforms/webhook/delivery-id";
import { NOW, webhookRequest } from "#test/support/webhook-request";

function idOf(
  headers: Readonly<Record<string, string>>,
  verified: VerifiedWebhook,
  payloadId?: string,
): Promise<unknown> {
  return deliveryId(webhookRequest("{}", headers), verified, payloadId, NOW).then(({ id }) => id);
}

it.each<[string, Readonly<Record<string, string>>, VerifiedWebhook, string | undefined, string]>([
  [
    "GitHub's delivery",
    { "x-github-delivery": "72d3162e", "x-request-id": "r" },
    { source: "github" },
    "7",
    "72d3162e",
  ],
  ["GitLab's key", { "idempotency-key": "k1", "x-gitlab-event-uuid": "u1" }, { source: "gitlab" }, "7", "k1"],
  ["GitLab's event", { "x-gitlab-event-uuid": "u1" }, { source: "gitlab" }, undefined, "u1"],
  ["Stripe's event", { "x-request-id": "r" }, { source: "stripe", timestamp: "1" }, "evt_1", "evt_1"],
  [
    "the id that was signed",
    { "svix-id": "forged" },
    { source: "standard", timestamp: "1", id: "msg_1" },
    "7",
    "msg_1",
  ],
  ["the request's id", { "x-request-id": "req-1" }, { source: "generic", timestamp: "1" }, "7", "req-1"],
])("names a webhook by %s", async (_, headers, verified, payloadId, id) => {
  expect(await idOf(headers, verified, payloadId)).toBe(id);
});

const BARE = webhookRequest('{"event_type":"nightly"}', {});

async function keysAt(verified: VerifiedWebhook, now: number): Promise<readonly string[]> {
  return (await deliveryId(BARE, verified, undefined, now)).dedupeKeys;
}

function overlap(one: readonly string[], other: readonly string[]): boolean {
  return one.some((key) => other.includes(key));
}

it("knows a webhook without an id by its body for five minutes at least", async () => {
  const first = await keysAt({ source: "generic" }, NOW);
  for (const later of [0, 1, 299_999, 300_000]) {
    expect(overlap(first, await keysAt({ source: "generic" }, NOW + later))).toBe(true);
  }
});

it("hears the same alert again when it comes an hour later", async () => {
  const first = await keysAt({ source: "generic" }, NOW);
  expect(overlap(first, await keysAt({ source: "generic" }, NOW + 3_600_000))).toBe(false);
});

it("tells what was signed at one time from what was signed at another", async () => {
  const first = await keysAt({ source: "generic", timestamp: "1782899999" }, NOW);
  expect(await keysAt({ source: "generic", timestamp: "1782899999" }, NOW + 200_000)).toEqual(first);
  expect(overlap(first, await keysAt({ source: "generic", timestamp: "1782900001" }, NOW))).toBe(false);
});
