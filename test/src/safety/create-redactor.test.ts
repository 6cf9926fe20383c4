import { expect, it } from "vitest";
import { createRedactor } from "#src/safety/create-redactor";

const SECRET = "p@ss w/ord+ß=1&y";
const redact = createRedactor([SECRET, "correct horse", "short"]);

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

it.each([
  ["as it is", SECRET],
  ["URL-encoded", encodeURIComponent(SECRET)],
  ["URL-encoded in small letters", encodeURIComponent(SECRET).toLowerCase()],
  ["of a form", encodeURIComponent(SECRET).replaceAll("%20", "+")],
  ["in base64", base64(SECRET)],
  ["behind a name in base64", base64(`user:${SECRET}`)],
  ["between others in base64", base64(`xx${SECRET}yy`)],
  ["in base64 for URLs", base64(SECRET).replaceAll("+", "-").replaceAll("/", "_")],
  ["in a JSON string", JSON.stringify({ key: SECRET })],
])("takes a stored value out %s", (_, text) => {
  const redacted = redact(`before ${text} behind`);
  expect(redacted).toContain("[REDACTED]");
  expect(redacted).not.toContain(text);
  expect(redact(redacted)).toBe(redacted);
});

it("takes every occurrence out, however many values there are", () => {
  expect(redact(`${SECRET}, correct horse, ${SECRET}`)).toBe("[REDACTED], [REDACTED], [REDACTED]");
});

it("prefers the longer of two values that begin alike", () => {
  expect(createRedactor(["abcdef", "abcdefgh"])("abcdefgh abcdef")).toBe("[REDACTED] [REDACTED]");
});

it("leaves words that are too short to be told, and texts without values", () => {
  expect(redact("a short text")).toBe("a short text");
  expect(createRedactor([])("anything")).toBe("anything");
  expect(createRedactor(["REDACTED"])("REDACTED")).toBe("REDACTED");
});

it("ends soon on a text that nearly holds a value everywhere", () => {
  const nearly = createRedactor(["aaaaaaab", "aaaaaaac"]);
  expect(nearly("a".repeat(400_000))).toHaveLength(400_000);
});
