import { expect, it } from "vitest";
import { ulid } from "#src/lib/ulid";

it("writes the time of the specification's example in front", () => {
  // 01ARYZ6S41 is 2016-07-30T22:36:16.385Z: https://github.com/ulid/javascript
  expect(ulid(1_469_918_176_385, () => 0)).toBe("01ARYZ6S410000000000000000");
});

it("sorts by time whatever the random part", () => {
  const early = ulid(1_700_000_000_000, () => 0.999_999);
  const late = ulid(1_700_000_000_001, () => 0);
  expect(early < late).toBe(true);
});

it("uses the whole alphabet and never leaves it", () => {
  let at = 0;
  expect(ulid(0, () => (at++ % 32) / 32)).toBe("00000000000123456789ABCDEF");
  expect(ulid(0, () => 1)).toHaveLength(26);
});
