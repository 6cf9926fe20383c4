import { expect, it } from "vitest";
import { findPrivateKeys } from "#src/safety/redaction/find-private-keys";
import { applySpans } from "#src/safety/redaction/span";

function redacted(text: string): string {
  return applySpans(text, findPrivateKeys(text));
}

const BODY = "MIIEc0MwgwJuZMhc76RpqwmSCb1LChYb\nE3cZ1celN0PRMz1E9kS2Czo39NHexvHn";

it.each([
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
  "PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK",
])("takes a block of %s out", (name) => {
  expect(redacted(`a\n-----BEGIN ${name}-----\n${BODY}\n-----END ${name}-----\nb`)).toBe(
    "a\n[REDACTED PRIVATE KEY]\nb",
  );
});

it("takes a key in a JSON string out", () => {
  const text = String.raw`{"key":"-----BEGIN PRIVATE KEY-----\nMIIEc0MwgwJuZMhc\n-----END PRIVATE KEY-----\n"}`;
  expect(redacted(text)).toBe(String.raw`{"key":"[REDACTED PRIVATE KEY]\n"}`);
});

it("takes out what there is of a key that was cut off", () => {
  expect(redacted(`-----BEGIN RSA PRIVATE KEY-----\n${BODY}`)).toBe("[REDACTED PRIVATE KEY]");
});

it("takes a key in the form of SSH's second protocol out", () => {
  const name = "SSH2 ENCRYPTED PRIVATE KEY";
  expect(redacted(`---- BEGIN ${name} ----\n${BODY}\n---- END ${name} ----`)).toBe("[REDACTED PRIVATE KEY]");
});

it.each([
  "The file begins with -----BEGIN PRIVATE KEY----- followed by letters.",
  "-----BEGIN RSA PRIVATE KEY-----",
  'START = b"-----BEGIN OPENSSH PRIVATE KEY-----"\nfrom_bytes = (f(x), [y], {"z": None})\nEND = b"-----END OPENSSH PRIVATE KEY-----"',
])("leaves marks between which no key stands: %j", (text) => expect(redacted(text)).toBe(text));

it("ends soon on marks without number", () => {
  const text = "-----BEGIN PRIVATE KEY-----\n(!)".repeat(12_000);
  expect(redacted(`${text}-----END PRIVATE KEY-----`).length).toBeGreaterThan(0);
});

it("leaves public keys and certificates", () => {
  const text = `-----BEGIN PUBLIC KEY-----\n${BODY}\n-----END PUBLIC KEY-----`;
  expect(redacted(text)).toBe(text);
});
