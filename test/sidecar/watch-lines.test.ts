import { expect, it } from "vitest";
import { type LineMatch, watchLines } from "../../sidecar/watch-lines.ts";

function watch(patterns: readonly string[]) {
  const told: LineMatch[] = [];
  const clock = { now: 0 };
  const look = watchLines(
    patterns,
    () => clock.now,
    (match) => told.push(match),
  );
  return { told, clock, say: (text: string) => look(Buffer.from(text)) };
}

it("tells a line once, in whatever pieces it comes", () => {
  const { told, say } = watch(["ready"]);
  for (const piece of ["not rea", "dy y", "et\nnothing\n"]) say(piece);
  expect(told).toEqual([{ pattern: "ready", line: "not ready y", suppressed: 0 }]);
});

it("tells a prompt that waits for an answer", () => {
  const { told, say } = watch(["Password:"]);
  say("Password: ");
  expect(told).toHaveLength(1);
});

it("takes a pattern for what it says, not for an expression", () => {
  const { told, say } = watch(["(a+)+$", ".*"]);
  say(`${"a".repeat(50_000)}!\n`);
  say("regular (a+)+$ text\n");
  expect(told.map(({ pattern }) => pattern)).toEqual(["(a+)+$"]);
});

it("tells eight in ten seconds, and later how many it left out", () => {
  const { told, clock, say } = watch(["x"]);
  say("x\n".repeat(20));
  expect(told).toHaveLength(8);
  clock.now = 10_001;
  say("x\n");
  expect(told.at(-1)).toEqual({ pattern: "x", line: "x", suppressed: 12 });
});
