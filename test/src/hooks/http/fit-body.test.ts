import { expect, it } from "vitest";
import type { JsonObject } from "#src/domain/json";
import { utf8 } from "#src/lib/encoding";
import { type FitOptions, fitBody } from "#src/hooks/http/fit-body";

function fit(payload: JsonObject, options: Partial<FitOptions> = {}) {
  return fitBody(payload, { event: "tool.post", maxBytes: 4096, ...options });
}

/** A body that fits, parsed. */
function fitted(
  payload: JsonObject,
  options: Partial<FitOptions> = {},
): { body: JsonObject; truncated: readonly string[] } {
  const result = fit(payload, options);
  if (!result.fits) throw new Error(`${result.bytes} bytes do not fit`);
  expect(utf8(result.body).length).toBeLessThanOrEqual(options.maxBytes ?? 4096);
  // what was JSON is JSON
  return { body: JSON.parse(result.body) as JsonObject, truncated: result.truncated };
}

it("leaves a body alone that fits", () => {
  const payload = { type: "tool.post", data: { result_text: "ok" } };
  expect(fit(payload, { listCutsIn: "data" })).toEqual({ fits: true, body: JSON.stringify(payload), truncated: [] });
});

it("cuts the largest field first, and says so where the payload has a place for it", () => {
  const payload = { data: { result_text: "x".repeat(9000), note: "y".repeat(1000) } };
  const { body, truncated } = fitted(payload, { listCutsIn: "data" });
  expect(truncated).toEqual(["/data/result_text"]);
  expect(body).toMatchObject({ data: { note: "y".repeat(1000), truncated: ["/data/result_text"] } });
  expect(Object.keys(fitted(payload).body["data"] ?? {})).toEqual(["result_text", "note"]);
});

it("drops the oldest entries of a conversation", () => {
  const history = Array.from({ length: 20 }, (_, i) => ({ role: "user", content: `${i} ${"x".repeat(400)}` }));
  const { body, truncated } = fitted({ data: { history, result_text: "short" } });
  const left = (body["data"] as { history: typeof history }).history;
  expect(left.length).toBeGreaterThan(4);
  expect(left.at(-1)).toEqual(history.at(-1));
  expect(truncated).toEqual(["/data/history"]);
});

it("cuts inside the last entry when that alone is too large", () => {
  const history = [{ content: "old" }, { content: "x".repeat(9000) }];
  const { truncated } = fitted({ data: { history } });
  expect(truncated).toEqual(["/data/history", "/data/history/0/content"]);
});

it("counts bytes, not characters, and never splits a character", () => {
  const { body } = fitted({ output: "😀".repeat(3000) });
  expect(body["output"]).toMatch(/^(?:😀)+$/u);
});

it("never cuts what a gate decides about", () => {
  const input = { command: "x".repeat(9000) };
  expect(fit({ data: { input, history: ["y".repeat(3000), "z"] } }, { event: "tool.pre" }).fits).toBe(false);
  expect(fit({ tool_input: input }, { event: "tool.permission" }).fits).toBe(false);
  expect(fit({ extra: { user_message: "x".repeat(9000) } }, { event: "message.received" }).fits).toBe(false);
  expect(fit({ notification: "x".repeat(9000) }, { event: "outbound.message" }).fits).toBe(false);
  expect(fit({ tool_input: input }, { event: "tool.post" }).fits).toBe(true);
});

it("cuts what surrounds it", () => {
  const input = { command: "x".repeat(3000) };
  const { body, truncated } = fitted({ data: { input, history: ["y".repeat(3000), "z"] } }, { event: "tool.pre" });
  expect(body).toMatchObject({ data: { input } });
  expect(truncated).toEqual(["/data/history"]);
});

it("gives up when there is nothing left to cut", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]));
  expect(fit({ data: many })).toMatchObject({ fits: false });
});

it("writes pointers as JSON pointers are written", () => {
  expect(fitted({ data: { "a/b~c": "x".repeat(9000) } }).truncated).toEqual(["/data/a~1b~0c"]);
});
