import { expect, it } from "vitest";
import {
  type ConfiguredHeaderContext,
  type ConfiguredHeaders,
  resolveConfiguredHeaders,
} from "#src/hooks/http/configured-headers";

const SECRETS: Readonly<Record<string, string>> = {
  TOKEN: "t-123",
  OTHER: "o-456",
  NESTED: "${secret:OTHER} $OTHER",
  SPLIT: "a\r\nx-evil: 1",
};

function resolve(headers: Record<string, string>, context: Partial<ConfiguredHeaderContext> = {}): ConfiguredHeaders {
  return resolveConfiguredHeaders(headers, {
    dialect: "native",
    allowedSecrets: ["TOKEN", "NESTED", "SPLIT", "NOT_THE_OPERATORS"],
    readSecret: (name) => SECRETS[name],
    isHttps: true,
    ...context,
  });
}

it("puts in secrets that both the hook and the operator allow, and nothing for the others", () => {
  const { headers } = resolve({
    Authorization: "Bearer ${secret:TOKEN}",
    "x-a": "[${secret:OTHER}][${secret:NOT_THE_OPERATORS}][${secret:TOKEN}]",
  });
  expect(headers).toEqual({ authorization: "Bearer t-123", "x-a": "[][][t-123]" });
});

it("reads $NAME and ${NAME} for claude alone", () => {
  const written = { "x-a": "$TOKEN/${TOKEN}/$OTHER/${secret:TOKEN}" };
  expect(resolve(written, { dialect: "claude" }).headers).toEqual({ "x-a": "t-123/t-123//t-123" });
  expect(resolve(written).headers).toEqual({ "x-a": "$TOKEN/${TOKEN}/$OTHER/t-123" });
});

it("does not read a secret's value as a template", () => {
  expect(resolve({ "x-a": "${secret:NESTED}" }, { dialect: "claude" }).headers).toEqual({
    "x-a": "${secret:OTHER} $OTHER",
  });
});

it.each([
  "Host",
  "content-length",
  "Webhook-Id",
  "x-agent-hook-mode",
  "CF-Connecting-IP",
  "Connection",
  "x-hermes-event",
  "traceparent",
])("refuses to set %s", (name) => {
  expect(resolve({ [name]: "x" })).toEqual({ headers: {}, rejected: [{ name: name.toLowerCase(), why: "denied" }] });
});

it("refuses what would break the request, without telling the value", () => {
  expect(resolve({ "x-a": "${secret:SPLIT}", "bad name": "x", "x-b": "日本", "x-c": "x".repeat(8193) })).toEqual({
    headers: {},
    rejected: [
      { name: "x-a", why: "malformed" },
      { name: "bad name", why: "malformed" },
      { name: "x-b", why: "malformed" },
      { name: "x-c", why: "too_large" },
    ],
  });
});

it("sends no secret over plain http", () => {
  const written = {
    authorization: "Bearer fixed",
    "x-api-key": "k",
    "x-a": "${secret:TOKEN}",
    "x-b": "${secret:OTHER}!",
  };
  const { headers, rejected } = resolve(written, { isHttps: false });
  expect(headers).toEqual({ "x-b": "!" });
  expect(rejected.map(({ why }) => why)).toEqual(["insecure", "insecure", "insecure"]);
});
