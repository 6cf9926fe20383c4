import type { InboundEvent, PlatformAccount, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { slack } from "#src/platforms/slack/slack";

/** 2026-07-01T10:00:00Z. */
export const NOW = 1_782_900_000_000;
export const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
export const ACCOUNT: PlatformAccount = {
  settings: { bot_token: "xoxb-test-not-real", signing_secret: SIGNING_SECRET },
};

/** The world of an adapter at `NOW`, which answers no request unless told how. */
export function slackIo(fetchStub?: (url: string, init: RequestInit) => Response | Promise<Response>): PlatformIo {
  const answer = fetchStub ?? ((url: string) => Promise.reject(new Error(`unexpected request to ${url}`)));
  return { fetch: (async (url: string, init: RequestInit) => answer(url, init)) as typeof fetch, now: () => NOW };
}

/** A request as Slack signs it. */
export async function signedRequest(body: string, contentType = "application/json", at = NOW): Promise<WebhookRequest> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = toHex(await hmacSha256(SIGNING_SECRET, `v0:${timestamp}:${body}`));
  return {
    method: "POST",
    url: new URL("https://agent.example/webhooks/slack"),
    headers: new Headers({
      "content-type": contentType,
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
    }),
    body: utf8(body),
  };
}

export async function receive(body: string, contentType?: string, account = ACCOUNT): Promise<Received> {
  return slack.receive(await signedRequest(body, contentType), account, slackIo());
}

/** What one event of the Events API comes to. */
export async function receiveEvent(event: object, envelope: object = {}): Promise<InboundEvent> {
  const { events } = await receive(
    JSON.stringify({
      type: "event_callback",
      event_id: "Ev1",
      api_app_id: "A0ACME",
      authorizations: [{ team_id: "T0ACME", user_id: "U0BOT", is_bot: true }],
      event,
      ...envelope,
    }),
  );
  const [first] = events;
  if (first === undefined || events.length > 1) throw new Error(`${events.length} events instead of one`);
  return first;
}

/** What a form of Slack comes to. */
export async function receiveForm(fields: Readonly<Record<string, string>>): Promise<Received> {
  return receive(new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
}
