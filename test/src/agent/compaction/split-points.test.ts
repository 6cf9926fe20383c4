import { beforeEach, expect, it } from "vitest";
import { splitAfter, splitBefore, splitPoints } from "#src/agent/compaction/split-points";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

it("cuts before what a person or the model says", () => {
  expect(splitPoints([says("a"), answers("b"), says("c")])).toEqual([true, true, true, true]);
  expect(splitPoints([])).toEqual([true]);
});

it("cuts neither between calls and their results, nor before all of them have come", () => {
  const rows = [calls(["a", "b"]), results(["a"], "x"), says("hurry"), results(["b"], "y"), answers("done")];
  expect(splitPoints(rows)).toEqual([true, false, false, false, true, true]);
});

it("keeps a steering word with the result it rides on", () => {
  const rows = [calls(["a"]), results(["a"], "x"), says("faster", { kind: "steer" }), answers("done")];
  expect(splitPoints(rows)).toEqual([true, false, false, true, true]);
});

it("keeps an answer with its open calls, until another answer shows that they stay open", () => {
  expect(splitPoints([calls(["a"]), says("hm")])).toEqual([true, false, false]);
  expect(splitPoints([calls(["a"]), says("hm"), answers("sorry"), says("ok")])).toEqual([
    true,
    false,
    true,
    true,
    true,
  ]);
});

it("finds the nearest place on either side", () => {
  const points = [true, false, false, true, false];
  expect([splitBefore(points, 2), splitBefore(points, 4), splitBefore(points, 99)]).toEqual([0, 3, 3]);
  expect([splitAfter(points, 1), splitAfter(points, 4)]).toEqual([3, undefined]);
});
