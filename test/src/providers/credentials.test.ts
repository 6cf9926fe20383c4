import { expect, it } from "vitest";
import type { ModelFailure } from "#src/domain/provider";
import { type CredentialPool, fingerprintOf, markAnswered, markFailed, syncPool } from "#src/providers/credentials";

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;

function poolOf(...names: readonly string[]): CredentialPool {
  return syncPool(
    undefined,
    "openai",
    names.map((name) => ({ name, fingerprint: `${name}-print` })),
  );
}

function failed(reason: ModelFailure["reason"], more: Partial<ModelFailure> = {}): ModelFailure {
  return { reason, retryable: false, message: "", ...more };
}

function restOf(pool: CredentialPool, failure: ModelFailure, name = "A"): number | undefined {
  const until = markFailed(pool, name, failure, NOW).credentials.find((each) => each.name === name)?.until;
  return until === undefined ? undefined : until - NOW;
}

it("names a key by the beginning of its hash, and never holds the key", async () => {
  const fingerprint = await fingerprintOf("sk-secret-1234567890");
  expect(fingerprint).toMatch(/^[0-9a-f]{12}$/);
  expect(await fingerprintOf("sk-secret-1234567890")).toBe(fingerprint);
  expect(await fingerprintOf("sk-secret-1234567891")).not.toBe(fingerprint);
  const pool = syncPool(undefined, "openai", [{ name: "OPENAI_API_KEY", fingerprint }]);
  expect(JSON.stringify(markFailed(pool, "OPENAI_API_KEY", failed("auth"), NOW))).not.toContain("secret");
});

it("keeps what it knows of a key until the key is replaced or gone", () => {
  const tired = markFailed(poolOf("A", "B"), "A", failed("billing"), NOW);
  const synced = syncPool(tired, "openai", [
    { name: "A", fingerprint: "A-print" },
    { name: "C", fingerprint: "C-print" },
  ]);
  expect(synced.credentials.map(({ name, status }) => [name, status])).toEqual([
    ["A", "exhausted"],
    ["C", "ok"],
  ]);
  const replaced = syncPool(tired, "openai", [{ name: "A", fingerprint: "another" }]);
  expect(replaced.credentials).toEqual([{ name: "A", fingerprint: "another", status: "ok", uses: 0, leases: [] }]);
});

it.each<[string, ModelFailure, number | undefined]>([
  ["a refused key five minutes", failed("auth", { shouldRotateCredential: true }), 5 * MINUTE],
  ["an empty account an hour", failed("billing", { shouldRotateCredential: true }), 60 * MINUTE],
  ["a limited key an hour", failed("rate_limit", { shouldRotateCredential: true }), 60 * MINUTE],
  ["as long as the vendor says", failed("rate_limit", { retryAfterMs: 12_345 }), 12_345],
  ["a shut account a day", failed("auth_permanent"), 24 * 60 * MINUTE],
  ["not at all for an overload", failed("overloaded"), undefined],
  ["not at all for a limit behind a router", failed("upstream_rate_limit"), undefined],
  ["not at all for a bad request", failed("format_error"), undefined],
])("lets one key of several rest: %s", (_what, failure, expected) => {
  expect(restOf(poolOf("A", "B"), failure)).toBe(expected);
});

it("lets the only key rest for a minute, unless its account is at fault", () => {
  expect(restOf(poolOf("A"), failed("rate_limit"))).toBe(MINUTE);
  expect(restOf(poolOf("A"), failed("billing"))).toBe(60 * MINUTE);
  const oneLeft = markFailed(poolOf("A", "B"), "B", failed("auth_permanent"), NOW);
  expect(oneLeft.credentials[1]?.status).toBe("dead");
  expect(restOf(oneLeft, failed("rate_limit"))).toBe(MINUTE);
});

it("forgets a failure once the key has answered", () => {
  const tired = markFailed(poolOf("A"), "A", failed("rate_limit"), NOW);
  expect(markAnswered(tired, "A")).toEqual(poolOf("A"));
});
