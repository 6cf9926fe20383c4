import { Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, PlatformAdapter } from "#src/domain/platform";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { type Environment, environmentFor, fetcher, systemSession } from "../../durable-objects/environment";
import type { Arrival } from "../../durable-objects/session-accept";
import { readHookTrace } from "../hook-trace";
import { createMinuteCounter } from "../limits";
import { readBody, refuseDeep } from "../read-body";
import { sessionIn } from "../session-at";

/** Requests with a wrong signature that one address may send in a minute before it is told to go away. */
const UNVERIFIED_PER_MINUTE = 60;

const unverified = createMinuteCounter();
const senders = createMinuteCounter();

/** Inbound platform messages: verified, read, stored in their session, and only then acknowledged. */
export const webhooks = new Hono<{ Bindings: Env }>().all("/:platform/:account?", async (c) => {
  const { platform, account: accountId } = c.req.param();
  const environment = await environmentFor(c.env, DEFAULT_PROFILE);
  const adapter = environment.adapterOf(platform);
  const account = adapter === undefined ? undefined : environment.accountOf(adapter, accountId);
  if (adapter === undefined || account === undefined)
    throw new GatewayError("not_found", "There is no such platform here.");
  const io = { fetch: fetcher, now: Date.now };
  const body = await readBody(c.req.raw, adapter.limits.bodyBytes);
  const request = { method: c.req.method, url: new URL(c.req.url), headers: c.req.raw.headers, body };
  const received = await adapter.receive(request, account, io).catch((error: unknown) => {
    throw counted(error, c.req.header("cf-connecting-ip") ?? "unknown");
  });
  refuseDeep(body);
  for (const event of received.events) {
    if (!concerns(event)) {
      if (environment.hooks.listens("platform.event"))
        c.executionCtx.waitUntil(raisePlatformEvent(c.env, event, adapter));
      continue;
    }
    if (isOverLimit(event, adapter, environment, (work) => c.executionCtx.waitUntil(work), accountId)) continue;
    const hookOrigin = readHookTrace(c.req.raw.headers, false);
    const traced = hookOrigin === undefined ? {} : { hookOrigin };
    await ingest(c.env, { event, platform: adapter.name, ...traced }, adapter, environment, accountId);
  }
  const { status = 200, body: answer = "", contentType = "text/plain; charset=utf-8" } = received.response ?? {};
  return new Response(answer, { status, headers: { "content-type": contentType } });
});

/** Kinds that a session hears of. */
const KINDS: ReadonlySet<InboundEvent["kind"]> = new Set(["message", "edited_message", "command", "button"]);

function concerns(event: InboundEvent): boolean {
  return KINDS.has(event.kind) && !event.isFromBot;
}

/** Tells who watches of what is no message: a reaction, a member that came or went. */
async function raisePlatformEvent(env: Env, event: InboundEvent, adapter: PlatformAdapter): Promise<void> {
  const { kind, chatId, userId, messageId = "", reaction } = event;
  const data = {
    platform: adapter.name,
    kind,
    chat_id: chatId,
    user_id: userId,
    message_id: messageId,
    ...(reaction === undefined ? {} : { reaction: reaction.emoji }),
  };
  await systemSession(env, DEFAULT_PROFILE).raise([{ event: "platform.event", data }]);
}

/** A flood of bad signatures is answered by 429; who signs well is never held up by it. */
function counted(error: unknown, address: string): unknown {
  if (!(error instanceof GatewayError) || error.code !== "signature_invalid") return error;
  if (unverified.add(address, Date.now()) <= UNVERIFIED_PER_MINUTE) return error;
  return new GatewayError("rate_limited", "Too many unverified requests.", { retryAfterMs: 60_000 });
}

/** A sender over the limit is told so once a minute, and no object wakes for them. */
function isOverLimit(
  event: InboundEvent,
  adapter: PlatformAdapter,
  environment: Environment,
  later: (work: Promise<unknown>) => void,
  accountId: string | undefined,
): boolean {
  const limit = environment.senderMessagesPerMinute;
  if (limit === 0 || adapter.access === "signed") return false;
  const count = senders.add(`${adapter.name}:${event.userId}`, Date.now());
  if (count === limit + 1 && event.addressed) later(tellToSlowDown(event, adapter, environment, accountId));
  return count > limit;
}

async function tellToSlowDown(
  event: InboundEvent,
  adapter: PlatformAdapter,
  environment: Environment,
  accountId: string | undefined,
): Promise<void> {
  const account = environment.accountOf(adapter, accountId);
  if (account === undefined) return;
  const message = { markdown: "That is more than I can take in a minute. Please wait a little and send it again." };
  const client = adapter.open(account, { fetch: fetcher, now: Date.now });
  await client
    .send(event.target, message, { key: `slow-${event.eventId}`, signal: AbortSignal.timeout(20_000) })
    .catch(() => undefined);
}

async function ingest(
  env: Env,
  arrival: Arrival,
  adapter: PlatformAdapter,
  environment: Environment,
  accountId: string | undefined,
): Promise<void> {
  const { event } = arrival;
  const { isAddressed, key } = environment.routeInbound(event, adapter, accountId);
  // what nobody addressed to the agent concerns it only in a thread that it is part of already
  if (!isAddressed && event.chatType !== "thread" && event.kind !== "edited_message") return;
  const session = sessionIn(env, key);
  await session.ingest({
    ...arrival,
    ...(accountId === undefined ? {} : { account: accountId }),
    ...(isAddressed ? {} : { onlyIfKnown: true }),
  });
}
