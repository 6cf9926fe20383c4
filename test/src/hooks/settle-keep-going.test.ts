import { expect, it } from "vitest";
import { settleKeepGoing } from "#src/hooks/settle-keep-going";
import { scriptedFiring } from "../../support/firing";
import { occurrenceOf } from "../../support/hook-fixtures";

const at = (attempt: number) => occurrenceOf("stop", { attempt, stop_hook_active: attempt > 0 });

it("obeys the first who refuses to stop", async () => {
  const { firing, askedIds } = scriptedFiring(
    { a: undefined, b: { keepGoing: { message: "run the tests" } }, c: { keepGoing: { message: "x" } } },
    { occurrence: at(0) },
  );
  expect((await settleKeepGoing(firing)).settlement).toEqual({
    outcome: "none",
    keepGoing: { message: "run the tests" },
    by: "b",
    notes: [],
  });
  expect(askedIds()).toEqual(["a", "b"]);
});

it.each([
  [2, true],
  [3, false],
  [4, false],
])("after %i continuations obeys a hook whose cap is 3: %s", async (attempt, isObeyed) => {
  const { firing, log } = scriptedFiring({ a: { keepGoing: { message: "again" } } }, { occurrence: at(attempt) });
  const { settlement } = await settleKeepGoing(firing);
  expect(settlement.keepGoing !== undefined).toBe(isObeyed);
  expect(log.map(({ code }) => code)).toEqual(isObeyed ? [] : ["hook.stop_cap"]);
  expect(settlement.notes).toHaveLength(isObeyed ? 0 : 1);
});

it("goes by each hook's own cap", async () => {
  const { firing } = scriptedFiring(
    { a: { keepGoing: { message: "a" } }, b: { rest: { maxContinuations: 8 }, says: { keepGoing: { message: "b" } } } },
    { occurrence: at(5) },
  );
  expect((await settleKeepGoing(firing)).settlement.keepGoing).toEqual({ message: "b" });
});

it("says so when it was the same words again", async () => {
  const { firing, log } = scriptedFiring(
    { a: { keepGoing: { message: "x" } } },
    { occurrence: at(3), isRepeated: () => true },
  );
  expect((await settleKeepGoing(firing)).settlement.notes[0]).toContain("the words it had used before");
  expect(log[0]?.message).toContain("the words it had used before");
});

it("reads a gate's refusal as a refusal to stop", async () => {
  const { firing } = scriptedFiring({ a: { decision: "deny", reason: "not yet" } }, { occurrence: at(0) });
  expect((await settleKeepGoing(firing)).settlement.keepGoing).toEqual({ message: "not yet" });
});

it("ends the turn when a hook says so", async () => {
  const { firing } = scriptedFiring({ a: { stop: { message: "done" } } }, { occurrence: at(0) });
  expect((await settleKeepGoing(firing)).settlement).toMatchObject({ outcome: "stop", reason: "done" });
});
