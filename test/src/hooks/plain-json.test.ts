import { expect, it } from "vitest";
import { plainJson, textIn, textOf } from "#src/hooks/plain-json";

it("turns what JSON cannot say into text", () => {
  const fields = {
    big: 123456789012345678901n,
    at: new Date(0),
    // not one of the types, but a plugin may put it there all the same
    run: Object.assign(() => 1, { toString: () => "() => 1" }) as never,
    odd: Number.NaN,
    list: [new Date(Number.NaN), undefined],
  };
  expect(plainJson(fields)).toEqual({
    big: "123456789012345678901",
    at: "1970-01-01T00:00:00.000Z",
    run: "() => 1",
    odd: "NaN",
    list: ["Invalid Date", null],
  });
});

it("leaves absent fields out and keeps null", () => {
  expect(Object.keys(plainJson({ a: undefined, b: null }))).toEqual(["b"]);
});

it("ends with a value that holds itself", () => {
  const own: Record<string, never> = {};
  Object.assign(own, { own });
  expect(JSON.stringify(plainJson({ own }))).toContain("nested too deep");
});

it("knows texts that say something", () => {
  expect([textIn(" a "), textIn(" "), textIn(1), textIn(undefined)]).toEqual([" a ", undefined, undefined, undefined]);
  expect([textOf("a"), textOf(null), textOf(undefined), textOf({ a: 1 })]).toEqual(["a", "", "", '{"a":1}']);
});
