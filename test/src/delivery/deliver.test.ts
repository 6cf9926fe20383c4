import { expect, it } from "vitest";
import { RECOVERED_MARK, deliver, type DeliveryPorts } from "#src/delivery/deliver";
import { GatewayError } from "#src/domain/errors";
import type { OutboundMessage, PlatformClient } from "#src/domain/platform";
import type { DeliveryRecord } from "#src/domain/turn";

const ORIGIN = { platform: "test", target: { chatId: "7" }, user: { id: "7", isOwner: false } };

function record(over: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id: 1,
    key: "k",
    turnId: 1,
    origin: ORIGIN,
    state: "final",
    text: "hello",
    parts: [{ state: "sending" }],
    attempts: 0,
    createdAt: 1000,
    nextAt: 0,
    ...over,
  };
}

/** A platform that keeps messages, and fails as the script says: one entry a request. */
function platform(script: (GatewayError | undefined)[] = [], over: Partial<PlatformClient> = {}) {
  const shown: { id: string; text: string; key: string }[] = [];
  const client: PlatformClient = {
    async send(_target, message: OutboundMessage, { key }) {
      const fault = script.shift();
      if (fault !== undefined) throw fault;
      shown.push({ id: String(shown.length + 1), text: message.markdown || `[${message.file?.name ?? ""}]`, key });
      return { messageId: String(shown.length) };
    },
    async edit(_target, messageId, message) {
      const fault = script.shift();
      if (fault !== undefined) throw fault;
      const found = shown.find(({ id }) => id === messageId);
      if (found === undefined) throw new GatewayError("refused", "message to edit not found");
      found.text = message.markdown;
    },
    ...over,
  };
  return { shown, client };
}

function ports(client: PlatformClient, over: Partial<DeliveryPorts> = {}) {
  const saved: DeliveryRecord[] = [];
  const removed: number[] = [];
  const all: DeliveryPorts = {
    adapter: {
      limits: { textLength: 4096, unit: "utf16", bodyBytes: 1 },
      delivery: { idempotent: false, editIntervalMs: 1000 },
    },
    client,
    save: (next) => {
      saved.push(next);
      return next;
    },
    remove: ({ id }) => removed.push(id),
    readFile: async (path) =>
      path === "/gone"
        ? undefined
        : { kind: "file", name: path.slice(1), mime: "text/plain", bytes: new Uint8Array(1) },
    signal: new AbortController().signal,
    now: () => 1000,
    random: () => 0,
    maxAttempts: 3,
    giveUpAfterMs: 86_400_000,
    ...over,
  };
  return { ...all, saved, removed };
}

const FRESH = { isUnconfirmed: false, needsEdit: false };
const CUT_OFF = { isUnconfirmed: true, needsEdit: false };

it("sends a fresh answer once and removes its record, without a further row", async () => {
  const { shown, client } = platform();
  const p = ports(client);
  expect(await deliver(record(), FRESH, p)).toBeUndefined();
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
  expect(p.saved).toEqual([]);
  expect(p.removed).toEqual([1]);
});

it("commits each message of a long answer as sending before its request", async () => {
  const { shown, client } = platform();
  const p = ports(client, {
    adapter: { limits: { textLength: 120, unit: "utf16", bodyBytes: 1 }, delivery: { idempotent: false } },
  });
  await deliver(record({ text: "word ".repeat(30) }), FRESH, p);
  expect(shown.length).toBeGreaterThan(1);
  expect(p.saved[0]?.parts).toEqual([{ state: "sent", messageId: "1" }, { state: "sending" }]);
});

it("sends a message that was cut off again, marked, where the platform can neither drop nor show it", async () => {
  const { shown, client } = platform();
  await deliver(record(), CUT_OFF, ports(client));
  expect(shown[0]?.text).toBe(`${RECOVERED_MARK}hello`);
});

it("sends a message that was cut off again unmarked, under the same key, where the platform drops doubles", async () => {
  const { shown, client } = platform();
  await deliver(
    record(),
    CUT_OFF,
    ports(client, {
      adapter: { limits: { textLength: 4096, unit: "utf16", bodyBytes: 1 }, delivery: { idempotent: true } },
    }),
  );
  expect(shown).toEqual([{ id: "1", text: "hello", key: "k.0" }]);
});

it("edits the message that the platform's history shows instead of sending a second", async () => {
  const { shown, client } = platform([], { findSent: async () => ({ messageId: "1" }) });
  shown.push({ id: "1", text: "hel", key: "k.0" });
  await deliver(record(), CUT_OFF, ports(client));
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
});

it("sends unmarked when the platform's history shows that nothing arrived", async () => {
  const { shown, client } = platform([], { findSent: async () => undefined });
  await deliver(record(), CUT_OFF, ports(client));
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
});

it("sends marked when the platform's history is closed to us", async () => {
  const findSent = async (): Promise<undefined> => {
    throw new GatewayError("refused", "missing_scope");
  };
  const { shown, client } = platform([], { findSent });
  await deliver(record(), CUT_OFF, ports(client));
  expect(shown[0]?.text).toBe(`${RECOVERED_MARK}hello`);
});

it("finishes a message that grew by editing it", async () => {
  const { shown, client } = platform();
  shown.push({ id: "1", text: "hel", key: "k.0" });
  await deliver(
    record({ parts: [{ state: "sent", messageId: "1" }] }),
    { isUnconfirmed: false, needsEdit: true },
    ports(client),
  );
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
});

it("sends anew when the message that grew was deleted meanwhile", async () => {
  const { shown, client } = platform();
  await deliver(
    record({ parts: [{ state: "sent", messageId: "99" }] }),
    { isUnconfirmed: false, needsEdit: true },
    ports(client),
  );
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
});

it("waits as long as the platform asks, without using up a try", async () => {
  const { client } = platform([new GatewayError("rate_limited", "slow down", { retryAfterMs: 30_000 })]);
  const left = await deliver(record(), FRESH, ports(client));
  expect(left).toMatchObject({ state: "final", attempts: 0, nextAt: 31_000, parts: [] });
});

it("tries again plainly after an answer that says it was not accepted", async () => {
  const { shown, client } = platform([new GatewayError("unavailable", "503")]);
  const left = await deliver(record(), FRESH, ports(client));
  expect(left).toMatchObject({ attempts: 1, nextAt: 2000, parts: [] });
  await deliver(left ?? record(), FRESH, ports(client));
  expect(shown.map(({ text }) => text)).toEqual(["hello"]);
});

it("keeps a timed-out message in doubt, so that the next try marks it", async () => {
  const { shown, client } = platform([new GatewayError("unconfirmed", "timeout")]);
  const left = await deliver(record(), FRESH, ports(client));
  expect(left).toMatchObject({ attempts: 1, parts: [{ state: "sending" }] });
  await deliver(left ?? record(), CUT_OFF, ports(client));
  expect(shown[0]?.text).toContain(RECOVERED_MARK.trim());
});

it("gives up at once on a final refusal and says why", async () => {
  const { client } = platform([new GatewayError("refused", "bot was blocked by the user")]);
  expect(await deliver(record(), FRESH, ports(client))).toMatchObject({
    state: "dead",
    error: "bot was blocked by the user",
  });
});

it("gives up after the last allowed try", async () => {
  const { client } = platform([new GatewayError("unavailable", "503")]);
  expect(await deliver(record({ attempts: 2 }), FRESH, ports(client))).toMatchObject({ state: "dead", attempts: 3 });
});

it("goes on after the messages that were confirmed when a later one failed", async () => {
  const adapter = {
    limits: { textLength: 120, unit: "utf16", bodyBytes: 1 },
    delivery: { idempotent: false },
  } as const;
  const text = "word ".repeat(30);
  const { shown, client } = platform([undefined, new GatewayError("unavailable", "503")]);
  const left = await deliver(record({ text }), FRESH, ports(client, { adapter }));
  expect(shown).toHaveLength(1);
  await deliver(left ?? record(), FRESH, ports(client, { adapter }));
  expect(new Set(shown.map((message) => message.text)).size).toBe(shown.length);
  expect(shown.length).toBeGreaterThan(1);
});

it("sends files after the text, and says so when one is gone", async () => {
  const { shown, client } = platform();
  await deliver(record({ files: ["/chart.txt", "/gone"] }), FRESH, ports(client));
  expect(shown.map(({ text }) => text)).toEqual(["hello", "[chart.txt]", "(The file /gone is not there any more.)"]);
});

it("waits longer and longer for a platform that slows it down without saying for how long", async () => {
  const waits: number[] = [];
  for (const ageMs of [0, 10_000, 100_000, 10_000_000]) {
    const { client } = platform([new GatewayError("rate_limited", "slow down")]);
    const now = 1000 + ageMs;
    const left = await deliver(record(), FRESH, ports(client, { now: () => now }));
    waits.push((left?.nextAt ?? 0) - now);
  }
  expect(waits).toEqual([1000, 8000, 64_000, 300_000]);
});
