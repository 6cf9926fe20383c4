import { expect, it } from "vitest";
import { settleTogether } from "#src/hooks/settle-together";
import { scriptedFiring } from "../../support/firing";
import { occurrenceOf } from "../../support/hook-fixtures";

const occurrence = occurrenceOf("tool.post", {});

it("joins contexts by a blank line in the order of the hooks, whoever answers first", async () => {
  const answers = new Map([
    ["a", Promise.withResolvers<{ readonly context: string }>()],
    ["b", Promise.withResolvers<{ readonly context: string }>()],
  ]);
  const { firing } = scriptedFiring({ a: undefined, b: undefined }, { occurrence });
  const settled = settleTogether({ ...firing, ask: ({ hook }) => answers.get(hook.id)!.promise });
  answers.get("b")?.resolve({ context: "B\n" });
  answers.get("a")?.resolve({ context: "A" });
  expect((await settled).settlement).toEqual({ outcome: "none", context: "A\n\nB", notes: [] });
});

it.each([
  [8, undefined, 4],
  [8, 5, 5],
  [8, 2, 2],
  [8, 50, 5],
  [3, undefined, 3],
])("calls %i hooks that want %s at a time at most %i at a time", async (count, maxConcurrent, limit) => {
  let [now, most] = [0, 0];
  const names = Array.from({ length: count }, (_, index) => `h${index}`);
  const hook = maxConcurrent === undefined ? {} : { maxConcurrent };
  const speakers = Object.fromEntries(names.map((name) => [name, { hook, says: undefined }]));
  const { firing } = scriptedFiring(speakers, { occurrence });
  const { settlement } = await settleTogether({
    ...firing,
    async ask({ hook: { id } }) {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      await Promise.resolve();
      now -= 1;
      return { context: id };
    },
  });
  expect(most).toBe(limit);
  expect(settlement.context).toBe(names.join("\n\n"));
});

it("takes the first new output, as a text or as it is", async () => {
  const { firing } = scriptedFiring({ a: undefined, b: { output: { ok: 1 } }, c: { text: "late" } }, { occurrence });
  expect((await settleTogether(firing)).settlement.output).toEqual({ ok: 1 });
  const text = scriptedFiring({ a: { text: "short" } }, { occurrence });
  expect((await settleTogether(text.firing)).settlement.output).toBe("short");
});

it("ends the turn when any of them says so", async () => {
  const { firing } = scriptedFiring({ a: { context: "A" }, b: { stop: { message: "over" } } }, { occurrence });
  expect((await settleTogether(firing)).settlement).toMatchObject({
    outcome: "stop",
    reason: "over",
    by: "b",
    context: "A",
  });
});
