import { expect, it } from "vitest";
import { contextFileChars, cutContext } from "#src/agent/prompt/cut-context";

it("gives a file a share of the model's window, within bounds, or what the operator says", () => {
  expect(contextFileChars(8000)).toBe(20_000);
  expect(contextFileChars(200_000)).toBe(48_000);
  expect(contextFileChars(10_000_000)).toBe(500_000);
  expect(contextFileChars(200_000, 1234)).toBe(1234);
});

it("cuts no character in half", () => {
  expect(cutContext("😀".repeat(200), 101, "/a").isWellFormed()).toBe(true);
  expect(cutContext("short", 5, "/a")).toBe("short");
});
