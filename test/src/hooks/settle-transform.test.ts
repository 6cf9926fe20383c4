import { expect, it } from "vitest";
import { settleTransform } from "#src/hooks/settle-transform";
import { scriptedFiring } from "../../support/firing";
import { occurrenceOf } from "../../support/hook-fixtures";

const result = occurrenceOf("tool.result", { result_text: "raw", result: "raw" });
const answer = occurrenceOf("response.transform", { response_text: "Hi!" });

it("takes the first text, an empty one too, and tells of those that came too late", async () => {
  const { firing, log } = scriptedFiring({ a: undefined, b: { text: "" }, c: { text: "C" } }, { occurrence: result });
  expect((await settleTransform(firing)).settlement).toEqual({ outcome: "none", by: "b", text: "", notes: [] });
  expect(log).toMatchObject([{ level: "debug", hook: "c" }]);
});

it("takes the first text that is not empty where there must be one", async () => {
  const { firing } = scriptedFiring(
    { a: { text: "" }, b: { text: "Arr!" }, c: { text: "Yo!" } },
    { occurrence: answer },
  );
  expect((await settleTransform(firing)).settlement.text).toBe("Arr!");
});

it("shows every hook the original, but one that chains what stands so far", async () => {
  const { firing, asked } = scriptedFiring(
    {
      a: { text: "A" },
      b: undefined,
      c: { hook: { chain: true }, says: ({ data }) => ({ text: `${data["response_text"] as string}+C` }) },
    },
    { occurrence: answer },
  );
  expect((await settleTransform(firing)).settlement).toMatchObject({ text: "A+C", by: "c" });
  expect(asked.map(({ occurrence }) => occurrence.data["response_text"])).toEqual(["Hi!", "Hi!", "A"]);
});

it("collects notes from all, whoever replaced the text", async () => {
  const { firing } = scriptedFiring({ a: { text: "A" }, b: { notes: ["seen"] } }, { occurrence: result });
  expect((await settleTransform(firing)).settlement).toMatchObject({ text: "A", notes: ["seen"] });
});

it("gives a structured replacement back as it is", async () => {
  const { firing } = scriptedFiring({ a: { output: { rows: [] } } }, { occurrence: result });
  expect((await settleTransform(firing)).settlement).toEqual({
    outcome: "none",
    by: "a",
    output: { rows: [] },
    notes: [],
  });
});

it("refuses when a guard of it failed", async () => {
  const { firing } = scriptedFiring({ a: { decision: "deny", reason: "failed closed" } }, { occurrence: result });
  expect((await settleTransform(firing)).settlement).toMatchObject({ outcome: "deny", reason: "failed closed" });
});
