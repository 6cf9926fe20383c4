import * as fc from "fast-check";
import { expect, it } from "vitest";
import { utf8 } from "#src/lib/encoding";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";

it.each([
  ["secret", "secret", true],
  ["secret", "Secret", false],
  ["secret", "secret ", false],
  ["secret ", "secret", false],
  ["", "", true],
  ["", "x", false],
  ["x", "", false],
  ["", "\0", false],
  ["\0", "", false],
  ["ab", "abab", false],
  ["abab", "ab", false],
  ["ü", "ü", true],
  ["ü", "u\u0308", false],
])("compares %j with %j", (a, b, expected) => {
  expect(timingSafeEqual(a, b)).toBe(expected);
});

it("takes a text for its bytes", () => {
  expect(timingSafeEqual("grüß", utf8("grüß"))).toBe(true);
  expect(timingSafeEqual(utf8("grüß"), "grüss")).toBe(false);
});

it("does not let lengths that differ by 256 or more wrap around", () => {
  for (const length of [256, 65_536]) expect(timingSafeEqual(new Uint8Array(0), new Uint8Array(length))).toBe(false);
  expect(timingSafeEqual(new Uint8Array(65_536), new Uint8Array(0))).toBe(false);
});

it("says equal of the same bytes alone", () => {
  const some = fc.uint8Array({ maxLength: 6, max: 2 });
  fc.assert(
    fc.property(some, some, (a, b) => {
      expect(timingSafeEqual(a, b)).toBe(a.length === b.length && a.every((byte, n) => byte === b[n]));
    }),
    { seed: 7, numRuns: 3000 },
  );
});
