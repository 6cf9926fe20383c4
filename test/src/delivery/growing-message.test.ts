import { expect, it } from "vitest";
import { growMessage, type GrowingPorts } from "#src/delivery/growing-message";
import { GatewayError } from "#src/domain/errors";
import type { DeliveryRecord } from "#src/domain/turn";
import { until } from "../../support/until";

const ORIGIN = { platform: "test", target: { chatId: "7" }, user: { id: "7", isOwner: false } };
const LONG = "twenty-four characters ok";

function begin(): DeliveryRecord {
  return {
    id: 0,
    key: "k",
    turnId: 1,
    origin: ORIGIN,
    state: "final",
    text: "",
    parts: [],
    attempts: 0,
    createdAt: 1,
    nextAt: 0,
  };
}

function setUp(over: Partial<GrowingPorts> = {}, send?: () => Promise<{ messageId: string }>) {
  const sends: string[] = [];
  const edits: string[] = [];
  const saved: DeliveryRecord[] = [];
  const growing = growMessage({
    adapter: {
      limits: { textLength: 4096, unit: "utf16", bodyBytes: 1 },
      delivery: { idempotent: false, editIntervalMs: 1 },
    },
    client: {
      async send(_target, message) {
        sends.push(message.markdown);
        return send === undefined ? { messageId: "m1" } : send();
      },
      async edit(_target, _id, message) {
        edits.push(message.markdown);
      },
    },
    save(record) {
      saved.push(record);
      return { ...record, id: 5 };
    },
    begin,
    threshold: 24,
    firstAfterMs: 0,
    mayBegin: () => true,
    signal: new AbortController().signal,
    now: () => 1,
    ...over,
  });
  return { growing, sends, edits, saved };
}

it("sends nothing before the answer says something", async () => {
  const { growing, sends, saved } = setUp();
  growing.grow("Hello");
  const grown = await growing.settle();
  expect([sends, saved, grown.record]).toEqual([[], [], undefined]);
});

it("commits that it is sending before it sends, and the message's id after", async () => {
  const { growing, sends, saved } = setUp();
  growing.grow(LONG);
  await until(() => expect(sends).toEqual([LONG]));
  await until(() =>
    expect(saved.map(({ parts }) => parts)).toEqual([[{ state: "sending" }], [{ state: "sent", messageId: "m1" }]]),
  );
});

it("grows by edits, skipping what came too fast to be shown", async () => {
  const { growing, sends, edits } = setUp();
  growing.grow(LONG);
  await until(() => expect(sends).toHaveLength(1));
  growing.grow(`${LONG} and`);
  growing.grow(`${LONG} and more`);
  await until(() => expect(edits.at(-1)).toBe(`${LONG} and more`));
  expect(sends).toHaveLength(1);
});

it("says that its first message is in doubt when the send was cut off", async () => {
  const { growing } = setUp({}, async () => {
    throw new GatewayError("unconfirmed", "timeout");
  });
  growing.grow(LONG);
  await until(() => expect(growing.record()).toBeDefined());
  const grown = await growing.settle();
  expect(grown).toMatchObject({ isUnconfirmed: true, record: { parts: [{ state: "sending" }] } });
});

it("leaves a send that the platform surely did not take to the end of the turn", async () => {
  const { growing } = setUp({}, async () => {
    throw new GatewayError("rate_limited", "slow down", { retryAfterMs: 5000 });
  });
  growing.grow(LONG);
  await until(() => expect(growing.record()).toBeDefined());
  const grown = await growing.settle();
  expect(grown).toMatchObject({ isUnconfirmed: false, record: { parts: [] } });
});

it("goes on editing the message that an earlier life had sent", async () => {
  const { growing, sends, edits } = setUp({
    resume: { ...begin(), id: 5, state: "growing", parts: [{ state: "sent", messageId: "m1" }] },
  });
  growing.grow(LONG);
  await until(() => expect(edits).toEqual([LONG]));
  expect(sends).toEqual([]);
});

it("shows nothing more when an earlier life's first send is in doubt", async () => {
  const { growing, sends, edits } = setUp({
    resume: { ...begin(), id: 5, state: "growing", parts: [{ state: "sending" }] },
  });
  growing.grow(LONG);
  const grown = await growing.settle();
  expect([sends, edits, grown.isUnconfirmed]).toEqual([[], [], true]);
});

it("sends nothing of an answer that is whole a moment later", async () => {
  const { growing, sends } = setUp({ firstAfterMs: 10_000 });
  growing.grow(LONG);
  const grown = await growing.settle();
  expect([sends, grown.record]).toEqual([[], undefined]);
});

it("does not overtake what was owed before", async () => {
  let isOwing = true;
  const { growing, sends } = setUp({ mayBegin: () => !isOwing });
  growing.grow(LONG);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(sends).toEqual([]);
  isOwing = false;
  await until(() => expect(sends).toEqual([LONG]));
});

it("says that what is shown is not the end when its last edit failed", async () => {
  const edits: string[] = [];
  const edit = async (_target: unknown, _id: string, message: { markdown: string }): Promise<void> => {
    edits.push(message.markdown);
    throw new GatewayError("rate_limited", "slow down", { retryAfterMs: 60_000 });
  };
  const { growing, sends } = setUp({ client: { send: async () => ({ messageId: String(sends.push("m1")) }), edit } });
  growing.grow(LONG);
  await until(() => expect(sends).toHaveLength(1));
  growing.grow(`${LONG} and the end`);
  await until(() => expect(edits).toHaveLength(1));
  const grown = await growing.settle();
  expect(grown.shown).not.toBe(`${LONG} and the end`);
});
