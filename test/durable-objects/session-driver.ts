// How tests speak to one session: events go in as adapters give them, and its SQLite tells what stands.
import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { InboundEvent } from "#src/domain/platform";
import { environmentFor } from "../../durable-objects/environment";
import { type World, operator } from "../support/world";
import { until } from "../support/until";

/** A person whom the world's settings let in. */
const PERSON = "7001";

let nextMessage = 1;

export interface SessionDriver {
  readonly key: string;
  readonly chat: number;
  /** Says something; resolves once it is stored. */
  say(text: string, more?: Partial<InboundEvent>): Promise<{ status: string; turnId?: number }>;
  press(value: string, callbackId?: string): Promise<{ status: string }>;
  /** Resolves when no turn and no delivery is left. */
  settled(): Promise<void>;
  /** Resolves with what the chat shows when it shows so many messages and nothing is under way. */
  shown(count: number): Promise<string[]>;
  transcript(): Promise<Line[]>;
  sql<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Promise<T[]>;
  /** Ends this life of the object without warning, and begins the next one as its alarm would. */
  crash(): Promise<void>;
  wake(): Promise<void>;
}

export interface Line {
  readonly id: string;
  readonly role: string;
  readonly kind: string;
  readonly content: string;
  readonly tool_name?: string;
  readonly turn_id: string;
}

export function openSession(world: World, chat: number, profile = "main"): SessionDriver {
  const platform = "telegram";
  const key = `${profile}:${platform}:dm:${chat}`;
  const stub = (): DurableObjectStub<import("../../durable-objects/chat-session").ChatSession> =>
    env.SESSIONS.getByName(key);

  function event(text: string, more: Partial<InboundEvent>): InboundEvent {
    const messageId = String(nextMessage++);
    return {
      kind: "message",
      eventId: messageId,
      dedupeKeys: [messageId],
      chatId: String(chat),
      chatType: "dm",
      userId: PERSON,
      userName: "Ada",
      text,
      rawText: text,
      messageId,
      mentionsBot: false,
      replyToBot: false,
      addressed: true,
      attachments: [],
      isFromBot: false,
      target: { chatId: String(chat) },
      at: 0,
      ...more,
    };
  }

  async function sql<T extends Record<string, SqlStorageValue>>(
    query: string,
    ...values: SqlStorageValue[]
  ): Promise<T[]> {
    return runInDurableObject(stub(), (_instance, state) => state.storage.sql.exec<T>(query, ...values).toArray());
  }

  async function settled(): Promise<void> {
    await until(async () => {
      const [left] = await sql<{ turns: number; outbox: number }>(
        "SELECT (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM outbox) AS outbox",
      );
      expect(left).toEqual({ turns: 0, outbox: 0 });
    });
  }

  async function wake(): Promise<void> {
    await runDurableObjectAlarm(stub());
  }

  return {
    key,
    chat,
    sql,
    settled,
    wake,
    say: (text, more = {}) => stub().ingest({ event: event(text, more), platform }),
    press: (value, callbackId = crypto.randomUUID()) =>
      stub().ingest({
        event: event("", {
          kind: "button",
          dedupeKeys: [`callback:${callbackId}`],
          action: { id: value, value, callbackId },
        }),
        platform,
      }),
    async shown(count) {
      await until(() => expect(world.textsOf(chat)).toHaveLength(count));
      await settled();
      return world.textsOf(chat);
    },
    async transcript() {
      const response = await operator(`/api/sessions/${encodeURIComponent(key)}/messages`);
      return (await response.json<{ messages: Line[] }>()).messages;
    },
    async crash() {
      await runInDurableObject(stub(), async (_instance, state) => {
        await state.storage.sync();
        state.abort("crash");
      }).catch(() => undefined);
      await wake().catch(() => false);
    },
  };
}

/** Sets settings of run time; null unsets them. */
export async function configure(changes: Readonly<Record<string, unknown>>): Promise<void> {
  const response = await operator("/api/config", { method: "PATCH", body: JSON.stringify(changes) });
  expect(response.status).toBe(200);
}

/** Sets settings of run time of a profile that is the test's own: no other test sees them. */
export async function configureProfile(profile: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await env.PROFILES.getByName(profile).setRuntime(changes);
  environmentFor.forget(profile, Number.POSITIVE_INFINITY);
}

/** Waits from here on that are longer than these many milliseconds, and no time limit of a request. */
const LONG_WAIT_MS = 900;
const TIME_LIMIT_MS = 130_000;

/** Lets no wait between two tries last: what is waited for is noted, until the test's mocks are restored. */
export function hurry(): readonly number[] {
  const waits: number[] = [];
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms = 0) => {
    if (ms < LONG_WAIT_MS || ms > TIME_LIMIT_MS) return real(work, ms);
    waits.push(ms);
    return real(work, 1);
  }) as typeof setTimeout);
  return waits;
}

/** A promise that the test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
