import { expect, it } from "vitest";
import { boundResult } from "#src/agent/bound-result";

const BOUNDS = { maxChars: 100, turnMaxChars: 250, previewChars: 20 };
const spill = async (): Promise<string> => "/workspace/r.txt";
const result = (content: string) => ({ callId: "a", name: "t", content });
const bound = (chars: number, used = 0, bounds = BOUNDS, to = spill) =>
  boundResult(result("x".repeat(chars)), bounds, used, to);

it("keeps a result that fits as it is", async () => {
  const whole = result("x".repeat(100));
  expect(await boundResult(whole, BOUNDS, 150, spill)).toBe(whole);
});

it("cuts a result that is too long and says where the whole of it is", async () => {
  const { content } = await bound(101);
  expect(content).toBe(
    `${"x".repeat(20)}\n\n[101 characters, cut here. The whole of it is saved as /workspace/r.txt; read it with read_file, a part at a time.]`,
  );
});

it("cuts a result for which the turn has no room left", async () => {
  expect((await bound(100, 151)).content).toContain("[100 characters, cut here.");
  expect((await bound(20, 10_000)).content).toBe("x".repeat(20));
});

it("shows no more than the bound when the preview is larger", async () => {
  const { content } = await bound(15, 0, { maxChars: 10, turnMaxChars: 250, previewChars: 20 });
  expect(content).toMatch(/^x{10}\n\n\[15 characters/);
});

it("spills the whole result and says so when that fails", async () => {
  const lost = async (): Promise<string> => Promise.reject(new TypeError("no room"));
  expect((await bound(101, 0, BOUNDS, lost)).content).toContain("The rest could not be saved.");
});

it("cuts no character in half", async () => {
  const { content } = await boundResult(result(`${"x".repeat(19)}${"😀".repeat(60)}`), BOUNDS, 0, spill);
  expect(content.isWellFormed()).toBe(true);
});

it("keeps that a result is an error", async () => {
  expect(await boundResult({ ...result("x".repeat(200)), isError: true }, BOUNDS, 0, spill)).toMatchObject({
    isError: true,
    callId: "a",
  });
});
