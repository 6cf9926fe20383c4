import { expect, it } from "vitest";
import { REDIRECTED, STOPPED, createTurnControl } from "#src/agent/turn-control";

it("stops the turn and the call under way", () => {
  const control = createTurnControl();
  const call = control.beginCall();
  control.stop();
  expect([control.stopped.reason, call.reason]).toEqual([STOPPED, STOPPED]);
});

it("redirects the call under way and nothing else", () => {
  const control = createTurnControl();
  const first = control.beginCall();
  control.redirect();
  expect(first.reason).toBe(REDIRECTED);
  expect(control.stopped.aborted).toBe(false);
  expect(control.beginCall().aborted).toBe(false);
});

it("leaves a call alone that begins after a redirect between calls", () => {
  const control = createTurnControl();
  control.redirect();
  expect(control.beginCall().aborted).toBe(false);
});

it("begins no call after a stop", () => {
  const control = createTurnControl();
  control.stop();
  control.stop();
  expect(control.beginCall().reason).toBe(STOPPED);
});

it("stays stopped when it is redirected afterwards", () => {
  const control = createTurnControl();
  const call = control.beginCall();
  control.stop();
  control.redirect();
  expect(call.reason).toBe(STOPPED);
});

it("wakes everyone who waits, and only those", async () => {
  const control = createTurnControl();
  control.wake();
  const woken: string[] = [];
  const waits = ["a", "b"].map((name) => control.waitForWake().then(() => woken.push(name)));
  await Promise.resolve();
  expect(woken).toEqual([]);
  control.wake();
  await Promise.all(waits);
  expect(woken).toEqual(["a", "b"]);
});
