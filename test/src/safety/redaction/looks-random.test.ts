import { expect, it } from "vitest";
import { looksRandom } from "#src/safety/redaction/looks-random";

it.each(["jSFpFkIM3Vak1uDSKFQs", "3f9a07c5e81b62d4", "GSJWSHRPLfbpQKHVyiPcvNxm", "x1-B2-c3-Z4-e5-Y6"])(
  "takes %s for random",
  (text) => {
    expect(looksRandom(text)).toBe(true);
  },
);

it.each([
  "hunter2",
  "test-fixture-value-1",
  "someVariableNameHere",
  "task-list-2024-01-15",
  "1234567890123456",
  "deadbeefdeadbeef",
  "short1A",
  "user_id_2024_table",
])("takes %s for made up", (text) => {
  expect(looksRandom(text)).toBe(false);
});
