import { expect, it, vi } from "vitest";
import type { Arrival } from "../../durable-objects/session-accept";
import type { SessionCore } from "../../durable-objects/session-core";
import { openArrivalGate } from "../../durable-objects/session-gate";
import type { Intake } from "../../durable-objects/session-intake";
import { NO_OPINION } from "#src/domain/hook-event";
import { until } from "../support/until";

it("takes in with the next alarm what could not be taken in", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const rows = new Map<number, Arrival>();
  const admitted: Arrival[] = [];
  let isDown = true;
  let armed = 0;
  const core = {
    key: "main:web:dm:x",
    store: {
      markSeen: () => true,
      saveArrival: (arrival: Arrival) => (rows.set(1, arrival), 1),
      removeArrival: (id: number) => void rows.delete(id),
    },
    environment: async () => {
      if (isDown) throw new Error("the profile does not answer");
      return { hooks: { listens: () => false, fire: async () => NO_OPINION, owed: () => [] } };
    },
    commit: <T>(work: () => T) => work(),
    arm: () => (armed += 1),
    keepAlive: () => undefined,
    now: () => 0,
  } as unknown as SessionCore;
  const intake = { admit: (arrival: Arrival) => (admitted.push(arrival), { status: "ignored" }) };
  const gate = openArrivalGate(core, intake as unknown as Intake);
  const arrival = {
    asOwner: true,
    platform: "web",
    event: { dedupeKeys: ["1"], userId: "u", target: { chatId: "x" } },
  } as unknown as Arrival;
  const held = gate.hold(arrival);
  await expect("settled" in held && held.settled).rejects.toThrow("does not answer");
  await until(() => expect(armed).toBe(2));
  expect([gate.isBusy(), rows.size, admitted.length]).toEqual([true, 1, 0]);
  isDown = false;
  gate.retry();
  await until(() => expect(admitted).toEqual([arrival]));
  expect([gate.isBusy(), rows.size]).toEqual([false, 0]);
});
