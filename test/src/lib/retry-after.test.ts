import { expect, it } from "vitest";
import { retryAfterMs } from "#src/lib/retry-after";

const NOW = Date.parse("2026-11-21T12:00:00Z");

// Source: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
it.each<[string | null, number | undefined]>([
  ["120", 120_000],
  ["0", 0],
  ["0.5", 500],
  [" 3 ", 3000],
  ["-5", 0],
  ["Sat, 21 Nov 2026 12:01:00 GMT", 60_000],
  ["Sat, 21 Nov 2026 11:59:00 GMT", 0],
  ["soon", undefined],
  ["Infinity", undefined],
  ["NaN", undefined],
  ["", undefined],
  [" ", undefined],
  [null, undefined],
])("reads %j as %j ms", (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected);
});
