import { expect, it, vi } from "vitest";
import type { HookDelivery, HookResult } from "#src/domain/hook";
import { type ObserverRecord, openObservers } from "../../durable-objects/session-observers";
import type { SessionStore } from "../../durable-objects/session-store";
import { until } from "../support/until";

const delivery = (eventId: string): HookDelivery => ({ hookId: "h", event: "turn.end", eventId, seq: 1, body: "{}" });

function observers(send: (one: HookDelivery) => Promise<HookResult | undefined>) {
  const rows = new Map<number, ObserverRecord>();
  const arm = vi.fn<() => void>();
  const store = {
    exists: () => true,
    observers: () => [...rows.values()],
    saveObserver(record: ObserverRecord) {
      const kept = { ...record, id: record.id === 0 ? rows.size + 1 : record.id };
      rows.set(kept.id, kept);
      return kept;
    },
    removeObserver: (id: number) => void rows.delete(id),
  };
  const opened = openObservers({
    store: store as unknown as SessionStore,
    send,
    judge: () => ({ type: "done" }),
    transaction: (work) => work(),
    arm,
    keepAlive: () => undefined,
    now: () => 1000,
  });
  return { opened, rows, arm };
}

it("makes a try again that could not be made, with the next alarm, and none beside itself", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const sent: string[] = [];
  const slow = Promise.withResolvers<undefined>();
  let isDown = true;
  const { opened, rows, arm } = observers(async ({ eventId }) => {
    sent.push(eventId);
    if (eventId === "slow") return slow.promise;
    if (isDown) throw new Error("the profile does not answer");
    return undefined;
  });
  opened.owe([delivery("lost"), delivery("slow")]);
  opened.flush()();
  await until(() => expect(sent).toEqual(["lost", "slow"]));
  opened.pump();
  expect(arm).not.toHaveBeenCalled();
  slow.resolve(undefined);
  await until(() => expect(arm).toHaveBeenCalledTimes(1));
  expect([opened.isBusy(), rows.size]).toEqual([true, 1]);
  isDown = false;
  opened.pump();
  await until(() => expect(rows.size).toBe(0));
  expect(sent).toEqual(["lost", "slow", "lost"]);
});
