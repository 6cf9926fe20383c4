import { expect, it } from "vitest";
import { settleGate } from "#src/hooks/settle-gate";
import { scriptedFiring } from "../../support/firing";
import { occurrenceOf } from "../../support/hook-fixtures";

it("has no opinion when nobody has one", async () => {
  const { firing } = scriptedFiring({ a: undefined, b: undefined });
  expect((await settleGate(firing)).settlement).toEqual({ outcome: "none", notes: [] });
});

it("stops at the first refusal, and tells who was not asked any more", async () => {
  const { firing, askedIds } = scriptedFiring({
    a: { decision: "allow" },
    b: { decision: "deny", reason: "no" },
    c: { decision: "deny" },
  });
  const { settlement, unasked } = await settleGate(firing);
  expect(settlement).toMatchObject({ outcome: "deny", reason: "no", by: "b" });
  expect(askedIds()).toEqual(["a", "b"]);
  expect(unasked?.hooks.map(({ hook }) => hook.id)).toEqual(["c"]);
});

it("takes the strongest voice: defer before ask before allow, the first of each", async () => {
  const ask = scriptedFiring({
    a: { decision: "allow" },
    b: { decision: "ask", reason: "b?", ruleKey: "k" },
    c: { decision: "ask" },
  });
  expect((await settleGate(ask.firing)).settlement).toMatchObject({
    outcome: "ask",
    reason: "b?",
    by: "b",
    ruleKey: "k",
  });
  const defer = scriptedFiring({ a: { decision: "ask" }, b: { decision: "defer" }, c: { decision: "allow" } });
  expect((await settleGate(defer.firing)).settlement).toMatchObject({ outcome: "defer", by: "b" });
  expect(defer.askedIds()).toEqual(["a", "b", "c"]);
});

it("ends the turn when a hook says so", async () => {
  const { firing, askedIds } = scriptedFiring({ a: { stop: { message: "enough" } }, b: { decision: "deny" } });
  expect((await settleGate(firing)).settlement).toMatchObject({ outcome: "stop", reason: "enough", by: "a" });
  expect(askedIds()).toEqual(["a"]);
});

it("shows each hook what those before it made of the input", async () => {
  const { firing, asked } = scriptedFiring({
    a: { input: { mode: "merge", value: { command: "one", cwd: "/x" } } },
    b: { input: { mode: "merge", value: { command: "two" } } },
    c: undefined,
  });
  const { settlement } = await settleGate(firing);
  expect(settlement.input).toEqual({ command: "two", cwd: "/x" });
  expect(asked.map(({ occurrence }) => occurrence.data["input"])).toEqual([
    { command: "ls" },
    { command: "one", cwd: "/x" },
    { command: "two", cwd: "/x" },
  ]);
  expect(asked[2]?.occurrence.data["original_input"]).toEqual({ command: "ls" });
});

it("keeps a rewrite beside a later question", async () => {
  const { firing } = scriptedFiring({
    a: { decision: "allow", input: { mode: "replace", value: { command: "safe" } } },
    b: { decision: "ask", reason: "ok?" },
  });
  expect((await settleGate(firing)).settlement).toMatchObject({
    outcome: "ask",
    reason: "ok?",
    input: { command: "safe" },
  });
});

it("refuses a rewritten input that the tool does not take", async () => {
  const { firing } = scriptedFiring(
    { a: { input: { mode: "merge", value: { command: 1 } } } },
    {
      validate: (tool, input) => (typeof input["command"] === "string" ? undefined : `${tool}: command must be a text`),
    },
  );
  expect((await settleGate(firing)).settlement).toMatchObject({
    outcome: "deny",
    reason: "Hook modified parameters are invalid: terminal: command must be a text",
    by: "a",
  });
});

it("asks guards before the rewrite once more, and only their refusal counts", async () => {
  const speakers = (second: { readonly decision: "deny" | "ask"; readonly reason: string }) => ({
    guard: {
      hook: { onError: "deny" as const },
      says: (_: unknown, round: number) => (round === 0 ? undefined : second),
    },
    open: undefined,
    rewriter: { input: { mode: "merge" as const, value: { command: "rm -rf /" } } },
    after: { hook: { onError: "deny" as const }, says: undefined },
  });
  const refused = scriptedFiring(speakers({ decision: "deny", reason: "not this" }));
  expect((await settleGate(refused.firing)).settlement).toMatchObject({
    outcome: "deny",
    reason: "not this",
    by: "guard",
  });
  expect(refused.askedIds()).toEqual(["guard", "open", "rewriter", "after", "guard#1"]);
  expect(refused.asked.at(-1)?.occurrence.data["input"]).toEqual({ command: "rm -rf /" });
  const asked = scriptedFiring(speakers({ decision: "ask", reason: "?" }));
  expect((await settleGate(asked.firing)).settlement.outcome).toBe("none");
});

it("collects what the model and the person are to know, from all who were asked", async () => {
  const { firing } = scriptedFiring({
    a: { context: "A", notes: ["n1"] },
    b: { context: " B\n", notes: ["n2", "n3"] },
    c: { context: "  " },
  });
  expect((await settleGate(firing)).settlement).toMatchObject({ context: "A\n\nB", notes: ["n1", "n2", "n3"] });
});

it("passes a rewritten text on to the next hook", async () => {
  const { firing, asked } = scriptedFiring(
    { a: { text: "masked" }, b: undefined },
    { occurrence: occurrenceOf("outbound.message", { text: "secret" }) },
  );
  expect((await settleGate(firing)).settlement.text).toBe("masked");
  expect(asked[1]?.occurrence.data["text"]).toBe("masked");
});

it("says where a thing can be prevented that it is", async () => {
  const occurrence = occurrenceOf("compaction.pre", {});
  const prevented = scriptedFiring({ a: { prevent: { reason: "later" } } }, { occurrence });
  expect((await settleGate(prevented.firing)).settlement).toMatchObject({
    outcome: "deny",
    prevent: { reason: "later" },
  });
  const denied = scriptedFiring({ a: { decision: "deny", reason: "not now" } }, { occurrence });
  expect((await settleGate(denied.firing)).settlement.prevent).toEqual({ reason: "not now" });
  const elsewhere = scriptedFiring({ a: { decision: "deny" } });
  expect((await settleGate(elsewhere.firing)).settlement.prevent).toBeUndefined();
});

it("asks neighbours that only add context at the same time, and hears them in their order", async () => {
  const adds = (context: string) => ({ rest: { onlyAdds: true }, says: { context } });
  const { firing } = scriptedFiring({ a: adds("A"), b: adds("B"), c: { decision: "deny" }, d: adds("D") });
  let [inFlight, most] = [0, 0];
  const settled = await settleGate({
    ...firing,
    async ask(...args) {
      inFlight += 1;
      most = Math.max(most, inFlight);
      const said = await firing.ask(...args);
      inFlight -= 1;
      return said;
    },
  });
  expect(most).toBe(2);
  expect(settled.settlement).toMatchObject({ outcome: "deny", by: "c", context: "A\n\nB" });
  expect(settled.unasked?.hooks.map(({ hook }) => hook.id)).toEqual(["d"]);
});
