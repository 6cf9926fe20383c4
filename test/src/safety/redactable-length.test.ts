import { expect, it } from "vitest";
import { redactableLength } from "#src/safety/redactable-length";
import { redactSecrets } from "#src/safety/redact-secrets";

it("holds the line that has not ended", () => {
  expect(redactableLength("one\ntwo")).toBe(4);
  expect(redactableLength("one\ntwo\n")).toBe(8);
  expect(redactableLength("one")).toBe(0);
});

it("holds a private key until it ends", () => {
  const begun = "log\n-----BEGIN PRIVATE KEY-----\nMIIE\n";
  expect(redactableLength(begun)).toBe(4);
  expect(redactableLength(`${begun}-----END PRIVATE KEY-----\n`)).toBe(begun.length + 26);
});

it("cuts a line that does not end at a blank", () => {
  expect(redactableLength(`${"word ".repeat(2_000)}rest`)).toBe(10_000);
});

it("gives way at last, so that nothing is held for ever", () => {
  expect(redactableLength("x".repeat(9_000))).toBe(9_000);
  expect(redactableLength(`-----BEGIN PRIVATE KEY-----${"\nx".repeat(40_000)}`)).toBeGreaterThan(0);
});

it("keeps secrets whole that arrive in pieces", () => {
  const text = `a\nAuthorization: Bearer ${"k9Q2".repeat(10)}\nb\n-----BEGIN PRIVATE KEY-----\nMIIEabcd\n-----END PRIVATE KEY-----\nc\n`;
  let [held, sent] = ["", ""];
  for (const letter of text) {
    held += letter;
    const length = redactableLength(held);
    sent += redactSecrets(held.slice(0, length), "log");
    held = held.slice(length);
  }
  expect(sent + held).toBe(redactSecrets(text, "log"));
});
