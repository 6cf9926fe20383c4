import { describe, expect, it } from "vitest";
import type { ModelFailure } from "#src/domain/provider";
import {
  type AttemptOptions,
  type NextAttempt,
  firstAttempt,
  nextAttempt,
  retryWaitMs,
} from "#src/providers/next-attempt";

const BEGIN = firstAttempt({ now: 0, fallbacks: 0 });
const ALONE: AttemptOptions = { keysLeft: 0, fallbacks: 0, random: () => 0 };

const RATE: ModelFailure = {
  reason: "rate_limit",
  retryable: true,
  shouldRotateCredential: true,
  shouldFallback: true,
  message: "",
};
const AUTH: ModelFailure = { ...RATE, reason: "auth", retryable: false };
const SERVER: ModelFailure = { reason: "server_error", retryable: true, message: "" };
const LONG: ModelFailure = { reason: "context_overflow", retryable: true, shouldCompress: true, message: "" };

/** What is done, try after try, with the keys and fallbacks that are left, until nothing is. */
function play(failure: ModelFailure, options: Partial<AttemptOptions> = {}): string[] {
  let keysLeft = options.keysLeft ?? 0;
  let state = BEGIN;
  const steps: string[] = [];
  for (let i = 0; i < 30; i++) {
    const next: NextAttempt = nextAttempt(state, failure, { ...ALONE, ...options, keysLeft });
    steps.push(
      next.type === "retry"
        ? `retry ${next.waitMs}`
        : next.type === "fall_back"
          ? `fall_back ${next.route}`
          : next.type,
    );
    if (next.type === "give_up") return steps;
    if (next.type === "rotate_key") keysLeft--;
    state = next.state;
  }
  throw new Error("never gives up");
}

it("tries what may pass again, waiting longer each time", () => {
  expect(play(SERVER)).toEqual(["retry 2000", "retry 4000", "give_up"]);
  expect(play(SERVER, { maxTries: 7 })).toEqual([
    "retry 2000",
    "retry 4000",
    "retry 8000",
    "retry 16000",
    "retry 32000",
    "retry 60000",
    "give_up",
  ]);
});

it("gives a server that answers nonsense more time", () => {
  expect(play({ ...SERVER, reason: "invalid_response" })).toEqual(["retry 5000", "retry 10000", "give_up"]);
});

it("asks the next model once tries are used up, and begins anew there", () => {
  expect(play(SERVER, { maxTries: 2, fallbacks: 2 })).toEqual([
    "retry 2000",
    "fall_back 1",
    "retry 2000",
    "fall_back 2",
    "retry 2000",
    "give_up",
  ]);
});

it("takes other keys at once when one is refused, then another model", () => {
  expect(play(AUTH, { keysLeft: 2, fallbacks: 1 })).toEqual(["rotate_key", "rotate_key", "fall_back 1", "give_up"]);
});

it("asks a limited key once more before it takes another", () => {
  expect(play(RATE, { keysLeft: 1, maxTries: 4 })).toEqual(["retry 2000", "rotate_key", "retry 8000", "give_up"]);
});

it("leaves a key at once whose limit lasts", () => {
  expect(play({ ...RATE, retryAfterMs: 90_000 }, { keysLeft: 1 })[0]).toBe("rotate_key");
});

it("does not sit out what lasts longer than a person's patience", () => {
  expect(play({ ...RATE, retryAfterMs: 3_600_000 })).toEqual(["give_up"]);
  expect(play({ ...RATE, retryAfterMs: 3_600_000 }, { fallbacks: 1 })[0]).toBe("fall_back 1");
  expect(play({ ...RATE, retryAfterMs: 100_000 })[0]).toBe("retry 100000");
});

it("shortens a conversation that is too long, three times at most", () => {
  expect(play(LONG)).toEqual(["compress", "compress", "compress", "give_up"]);
  expect(play(LONG, { fallbacks: 1 })[3]).toBe("fall_back 1");
});

it.each([
  ["thinking_signature", "drop_state"],
  ["invalid_encrypted_content", "drop_state"],
  ["image_too_large", "shrink_images"],
  ["multimodal_tool_content_unsupported", "text_results"],
  ["llama_cpp_grammar_pattern", "plain_schemas"],
] as const)("changes the request once after %s: %s", (reason, adaptation) => {
  const failure: ModelFailure = { reason, retryable: true, message: "" };
  expect(nextAttempt(BEGIN, failure, ALONE)).toMatchObject({ type: "adapt", adaptation });
  expect(play(failure)).toEqual(["adapt", "give_up"]);
  expect(play(failure, { fallbacks: 1 }).slice(0, 2)).toEqual(["adapt", "fall_back 1"]);
});

it.each<[string, ModelFailure, readonly string[]]>([
  ["an abort", { reason: "aborted", retryable: false, message: "" }, ["give_up"]],
  ["a data policy", { reason: "provider_policy_blocked", retryable: false, message: "" }, ["give_up"]],
  ["a certificate", { reason: "ssl_cert_verification", retryable: false, message: "" }, ["give_up"]],
  [
    "a refused topic",
    { reason: "content_policy", retryable: false, shouldFallback: true, message: "" },
    ["fall_back 1", "give_up"],
  ],
  [
    "a model that is not there",
    { reason: "model_not_found", retryable: false, shouldFallback: true, message: "" },
    ["fall_back 1", "give_up"],
  ],
])("does not repeat %s", (_what, failure, expected) => {
  expect(play(failure, { fallbacks: 1, keysLeft: 3 })).toEqual(expected);
});

it("waits minutes for a vendor whose capacity takes minutes", () => {
  const overloaded: ModelFailure = { reason: "overloaded", retryable: true, message: "" };
  expect(play(overloaded, { overloadWaitsMs: [30_000, 60_000, 90_000, 120_000] })).toEqual([
    "retry 2000",
    "retry 4000",
    "retry 30000",
    "retry 60000",
    "retry 90000",
    "retry 120000",
    "give_up",
  ]);
});

it("rests for a moment after a whole chain has failed", () => {
  expect(nextAttempt({ ...BEGIN, route: 1 }, AUTH, { ...ALONE, fallbacks: 1 })).toEqual({
    type: "give_up",
    cooldownMs: 5000,
  });
  expect(nextAttempt(BEGIN, AUTH, ALONE)).toEqual({ type: "give_up", cooldownMs: 0 });
});

it("spreads the waits, and lets the vendor's own win", () => {
  const half = { ...ALONE, random: () => 1 };
  expect(retryWaitMs(1, SERVER, half)).toBe(3000);
  expect(retryWaitMs(1, { ...SERVER, retryAfterMs: 7 }, half)).toBe(7);
});

describe("the first attempt", () => {
  it.each([
    [undefined, 1, 0],
    [99, 1, 0],
    [101, 1, 1],
    [101, 0, 0],
  ])("with keys that rest until %s and %d fallbacks begins at route %d", (blockedUntil, fallbacks, route) => {
    const given = blockedUntil === undefined ? {} : { blockedUntil };
    expect(firstAttempt({ ...given, now: 100, fallbacks }).route).toBe(route);
  });
});
