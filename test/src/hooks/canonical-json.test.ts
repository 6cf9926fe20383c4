import { expect, it } from "vitest";
import { canonicalJson } from "#src/hooks/canonical-json";

it("says the same of a value, whatever order it was written in", () => {
  expect(canonicalJson({ b: [1, { d: null, c: true }], a: "x" })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
  expect(canonicalJson({ a: "x", b: [1, { c: true, d: null }] })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
});

// the example of RFC 8785 3.2.3
it("orders keys by their UTF-16 code units", () => {
  const value = {
    "€": "Euro",
    "\r": "Return",
    "\ufb33": "Dalet",
    "1": "One",
    "😀": "Smile",
    "\u0080": "Control",
    ö: "O",
  };
  expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
  expect(canonicalJson(value).match(/"(?:Return|One|Control|O|Euro|Smile|Dalet)"/g)).toEqual([
    '"Return"',
    '"One"',
    '"Control"',
    '"O"',
    '"Euro"',
    '"Smile"',
    '"Dalet"',
  ]);
});

it("writes numbers as the standard says", () => {
  expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
    "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]",
  );
  expect(() => canonicalJson(Number.NaN)).toThrow(RangeError);
});
