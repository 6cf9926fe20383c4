import { expect, it } from "vitest";
import { findsThreat, type ThreatRule } from "#src/safety/threats/threat-rule";

const rule: ThreatRule = { id: "x", scope: "all", needs: ["drop"], pattern: /\bdrop (?:all|it)\b/g };

function finds(text: string, more: Partial<ThreatRule> = {}, limit = text.length): boolean {
  return findsThreat({ ...rule, ...more }, { text, limit });
}

it("finds what its pattern finds", () => {
  expect(finds("please drop all of it")).toBe(true);
  expect(finds("please keep all of it")).toBe(false);
});

it("does not look when the words it needs are missing", () => {
  expect(finds("drop all", { needs: ["absent"] })).toBe(false);
});

it("leaves what begins behind the limit", () => {
  expect(finds("now drop all", {}, 4)).toBe(false);
  expect(finds("now drop all", {}, 5)).toBe(true);
});

it("goes on to the next place where the words before or behind make one harmless", () => {
  const more = { unlessBefore: /\bgit $/, unlessAfter: /^ caps\b/ };
  expect(finds("git drop all", more)).toBe(false);
  expect(finds("drop all caps", more)).toBe(false);
  expect(finds("git drop all and drop it", more)).toBe(true);
});

it("lets a ban pass, but not a reminder", () => {
  expect(finds("never drop all", { isNegatable: true })).toBe(false);
  expect(finds("do not forget to drop all", { isNegatable: true })).toBe(true);
  expect(finds("never mind. drop all", { isNegatable: true })).toBe(true);
});

it("lets a quoted mention pass, but not a quotation without a word about it", () => {
  expect(finds('blocks phrases like "drop all" in mails')).toBe(false);
  expect(finds('"drop all" now')).toBe(true);
});
