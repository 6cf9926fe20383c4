import { expect, it } from "vitest";
import { joinPieces } from "#src/agent/recovery/join-pieces";

it("puts pieces together where the first one stopped", () => {
  expect(joinPieces("", "all")).toBe("all");
  expect(joinPieces("the har", "bour")).toBe("the harbour");
});

it("says what both have once", () => {
  expect(joinPieces("He went to the old harbour", "to the old harbour and sat down.")).toBe(
    "He went to the old harbour and sat down.",
  );
});

it("takes a short match for chance", () => {
  expect(joinPieces("hahaha", "haha")).toBe("hahahahaha");
});
