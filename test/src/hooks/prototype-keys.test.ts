import { expect, it } from "vitest";
import { isPrototypeKey, withoutPrototypeKeys } from "#src/hooks/prototype-keys";

function refusedIn(value: unknown): { readonly kept: unknown; readonly refused: readonly string[] } {
  const refused: string[] = [];
  return { kept: withoutPrototypeKeys(value, (key) => refused.push(key)), refused };
}

it("leaves keys out that reach a prototype, however deep they are", () => {
  const sent: unknown = JSON.parse('{"a": [{"__proto__": {"isAdmin": true}, "b": 1}], "constructor": 2}');
  expect(refusedIn(sent)).toEqual({ kept: { a: [{ b: 1 }] }, refused: ["__proto__", "constructor"] });
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

it("gives back the very value when there is nothing to leave out", () => {
  const sent = { a: [1, { b: null }], c: "text" };
  expect(refusedIn(sent).kept).toBe(sent);
  expect(refusedIn("text").kept).toBe("text");
});

it("cuts off what is nested without end", () => {
  let sent: unknown = "deep";
  for (let depth = 0; depth < 5000; depth += 1) sent = [sent];
  expect(JSON.stringify(refusedIn(sent).kept)).toContain("null");
});

it("knows the keys by name", () => {
  expect(["__proto__", "constructor", "prototype", "command"].map(isPrototypeKey)).toEqual([true, true, true, false]);
});
