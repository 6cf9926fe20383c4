import { expect, it } from "vitest";
import {
  approveCode,
  listPending,
  NO_PAIRINGS,
  type PairingState,
  requestCode,
  revokePending,
} from "#src/domain/pairing";

const NOW = 1_760_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Bytes that count up, so that each code differs. */
function countingBytes() {
  let next = 0;
  return (length: number): Uint8Array => Uint8Array.from({ length }, () => next++);
}

/** The state after these people asked, a millisecond apart, and their codes. */
function asked(...ids: readonly string[]): { state: PairingState; codes: string[] } {
  const bytes = countingBytes();
  let state = NO_PAIRINGS;
  const codes = ids.map((id, index) => {
    const step = requestCode(state, { id }, NOW + index, bytes);
    state = step.state;
    return "code" in step.result ? step.result.code : step.result.reason;
  });
  return { state, codes };
}

function wrongCodes(start: PairingState, times: number, now = NOW): PairingState {
  let state = start;
  for (let i = 0; i < times; i++) state = approveCode(state, "ZZZZZZZZ", now).state;
  return state;
}

it("makes codes of eight characters that nobody takes for others", () => {
  const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const seen = new Map<string, number>();
  for (let at = 0; at < 256; at += 8) {
    const { result } = requestCode(NO_PAIRINGS, { id: "1" }, NOW, () => every.slice(at, at + 8));
    const code = "code" in result ? result.code : "";
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    for (const letter of code) seen.set(letter, (seen.get(letter) ?? 0) + 1);
  }
  expect(seen.size).toBe(32);
  expect(new Set(seen.values())).toEqual(new Set([8]));
});

it("tells the same code again while it is good", () => {
  const { state, codes } = asked("1");
  const again = requestCode(state, { id: "1" }, NOW + HOUR - 1, countingBytes());
  expect(again.result).toEqual({ code: codes[0] });
});

it("gives a new code once the hour is over", () => {
  const { state, codes } = asked("1");
  const { result } = requestCode(state, { id: "1" }, NOW + HOUR, () => new Uint8Array(8).fill(31));
  expect(result).toEqual({ code: "99999999" });
  expect(approveCode(state, codes[0] ?? "", NOW + HOUR).result).toEqual({ reason: "wrong_code" });
});

it("gives nobody two codes within ten minutes", () => {
  const revoked = revokePending(asked("1").state, "1", NOW).state;
  expect(requestCode(revoked, { id: "1" }, NOW + 10 * MINUTE - 1, countingBytes()).result).toEqual({
    reason: "rate_limited",
  });
  expect(requestCode(revoked, { id: "1" }, NOW + 10 * MINUTE, countingBytes()).result).toHaveProperty("code");
});

it("lets three people wait, and a fourth when one was approved", () => {
  const { state, codes } = asked("1", "2", "3", "4");
  expect(codes[3]).toBe("too_many_pending");
  const approved = approveCode(state, codes[1] ?? "", NOW + 10);
  expect(requestCode(approved.state, { id: "4" }, NOW + 20, countingBytes()).result).toHaveProperty("code");
});

it("approves the person that the code was given to, once", () => {
  const { state, codes } = asked("1", "2");
  const approved = approveCode(state, codes[1] ?? "", NOW + 10);
  expect(approved.result).toEqual({ user: { id: "2" } });
  expect(approveCode(approved.state, codes[1] ?? "", NOW + 11).result).toEqual({ reason: "wrong_code" });
});

it("takes a code in any case, with blanks and dashes", () => {
  const { state, codes } = asked("1");
  const [code = ""] = codes;
  const typed = ` ${code.slice(0, 4).toLowerCase()} - ${code.slice(4)} `;
  expect(approveCode(state, typed, NOW).result).toEqual({ user: { id: "1" } });
});

it.each(["", " ", "A", "ABCDEFGHJ".repeat(10_000)])("takes no code of another length", (code) => {
  expect(approveCode(asked("1").state, code, NOW).result).toEqual({ reason: "wrong_code" });
});

it("takes no code that only begins right", () => {
  const { state, codes } = asked("1");
  expect(approveCode(state, `${codes[0]}${codes[0]}`, NOW).result).toEqual({ reason: "wrong_code" });
  expect(approveCode(state, (codes[0] ?? "").slice(0, 7), NOW).result).toEqual({ reason: "wrong_code" });
});

it("locks for an hour after five wrong codes", () => {
  const { state, codes } = asked("1");
  const locked = wrongCodes(state, 5);
  expect(approveCode(locked, codes[0] ?? "", NOW + HOUR - 1).result).toEqual({ reason: "locked" });
  expect(requestCode(locked, { id: "2" }, NOW + HOUR - 1, countingBytes()).result).toEqual({ reason: "locked" });
  expect(requestCode(locked, { id: "2" }, NOW + HOUR, countingBytes()).result).toHaveProperty("code");
});

it("counts wrong codes anew after a right one and after a lock", () => {
  const { state, codes } = asked("1", "2");
  const right = approveCode(wrongCodes(state, 4), codes[0] ?? "", NOW).state;
  expect(approveCode(wrongCodes(right, 4), codes[1] ?? "", NOW).result).toEqual({ user: { id: "2" } });
  const later = wrongCodes(wrongCodes(NO_PAIRINGS, 5), 4, NOW + HOUR);
  expect(later.lockedUntil).toBeLessThan(NOW + HOUR + 1);
});

it("forgets what has run out", () => {
  const { state } = asked("1", "2", "3");
  expect(listPending(state, NOW + HOUR + 10)).toEqual([]);
  const after = wrongCodes(state, 1, NOW + HOUR + 10);
  expect(after.pending).toEqual([]);
  expect(after.requests).toEqual({});
});

it("survives being stored as JSON, whatever people are called", () => {
  const { state, codes } = asked("__proto__", "constructor");
  const stored = JSON.parse(JSON.stringify(state)) as PairingState;
  expect(approveCode(stored, codes[0] ?? "", NOW).result).toEqual({ user: { id: "__proto__" } });
  expect(
    requestCode(revokePending(stored, "__proto__", NOW).state, { id: "__proto__" }, NOW + 5, countingBytes()).result,
  ).toEqual({
    reason: "rate_limited",
  });
});

it("leaves the state that it was given as it was", () => {
  const { state, codes } = asked("1");
  const before = structuredClone(state);
  approveCode(state, codes[0] ?? "", NOW);
  revokePending(state, "1", NOW);
  requestCode(state, { id: "2" }, NOW, countingBytes());
  expect(state).toEqual(before);
});
