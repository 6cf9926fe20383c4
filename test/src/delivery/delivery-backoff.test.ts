import { expect, it } from "vitest";
import { deliveryBackoffMs } from "#src/delivery/delivery-backoff";

const least = () => 0;
const most = () => 1;

it.each([
  [1, 1000],
  [2, 2000],
  [9, 256_000],
  [10, 300_000],
  [2000, 300_000],
])("waits after failure %i at least %i ms and at most half as long again", (attempt, expected) => {
  expect(deliveryBackoffMs(attempt, undefined, least)).toBe(expected);
  expect(deliveryBackoffMs(attempt, undefined, most)).toBe(expected * 1.5);
});

it("waits no less than the platform asks, and little more", () => {
  expect(deliveryBackoffMs(5, 30_000, least)).toBe(30_000);
  expect(deliveryBackoffMs(1, 30_000, most)).toBe(30_500);
});

it("does not return at once to a platform that asks for no wait", () => {
  expect(deliveryBackoffMs(1, 0, least)).toBe(500);
});
