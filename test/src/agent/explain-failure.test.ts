import { expect, it } from "vitest";
import { explainFailure } from "#src/agent/explain-failure";

it("tells the person in one line what failed", () => {
  const sentence = explainFailure({ reason: "billing", retryable: false, message: "The account has no credit left." });
  expect(sentence).toBe("⚠️ I could not answer: The account has no credit left.");
});
