import type { InboundEvent, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { utf8 } from "#src/lib/encoding";
import { webhook } from "#src/platforms/webhook/webhook";

/** 2026-07-01T10:00:00Z. */
export const NOW = 1_782_900_000_000;

export function webhookIo(now = NOW): PlatformIo {
  return { fetch: () => Promise.reject(new Error("webhooks fetch nothing")), now: () => now };
}

export function webhookRequest(body: string | Uint8Array, headers: Readonly<Record<string, string>>): WebhookRequest {
  return {
    method: "POST",
    url: new URL("https://agent.example/webhooks/webhook"),
    headers: new Headers(headers),
    body: typeof body === "string" ? utf8(body) : body,
  };
}

export interface Bearer {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly route?: string;
  readonly now?: number;
}

/** What a webhook with the right bearer token comes to. */
export function receiveBearer({ body, headers, settings, route, now }: Bearer): Promise<Received> {
  const request = webhookRequest(body, { authorization: "Bearer s3cret", ...headers });
  const account = {
    settings: { generic_v2_secret: "s3cret", ...settings },
    ...(route === undefined ? {} : { id: route }),
  };
  return webhook.receive(request, account, webhookIo(now));
}

export async function eventOf(received: Promise<Received>): Promise<InboundEvent> {
  const { events } = await received;
  const [event] = events;
  if (event === undefined || events.length > 1) throw new Error(`${events.length} events instead of one`);
  return event;
}
