import { expect, it } from "vitest";
import { applyInput } from "#src/hooks/apply-input";

const INPUT = { path: "a", content: "x" };

it("merges keys in, the later one winning", () => {
  expect(applyInput(INPUT, { mode: "merge", value: { path: "b", mode: "w" } }, "h1")).toEqual({
    input: { path: "b", content: "x", mode: "w" },
    log: [],
  });
});

it("replaces the whole input", () => {
  expect(applyInput(INPUT, { mode: "replace", value: { path: "b" } }, "h1").input).toEqual({ path: "b" });
});

it("changes only keys that are there, and tells of the others", () => {
  const { input, log } = applyInput(INPUT, { mode: "existing", value: { path: "b", sudo: true } }, "h1");
  expect(input).toEqual({ path: "b", content: "x" });
  expect(log).toMatchObject([{ level: "warn", code: "hook.rewrite_unknown_key", hook: "h1" }]);
  expect(log[0]?.message).toContain("sudo");
});

it("leaves the input that it was given as it was", () => {
  applyInput(INPUT, { mode: "merge", value: { path: "b" } }, "h1");
  expect(INPUT).toEqual({ path: "a", content: "x" });
});
