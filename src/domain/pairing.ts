/** A stranger who asks to be let in. */
export interface PairingUser {
  readonly id: string;
  readonly name?: string;
}

/** A code that was given out and not yet approved. */
export interface PendingPairing {
  readonly code: string;
  readonly user: PairingUser;
  /** Epoch milliseconds. */
  readonly requestedAt: number;
}

/** The pairing of one platform. Plain JSON, and small: it is stored whole. */
export interface PairingState {
  readonly pending: readonly PendingPairing[];
  /** When somebody was last given a code, by user id; epoch milliseconds. */
  readonly requests: Readonly<Record<string, number>>;
  /** Wrong codes since the last right one. */
  readonly wrongCodes: number;
  /** Epoch milliseconds until which no code is given out or taken; 0 when there is no lock. */
  readonly lockedUntil: number;
}

/** Why there is no code: asked again too soon, too many are waiting, or locked after too many wrong ones. */
export type RequestRefusal = "rate_limited" | "too_many_pending" | "locked";
/** Why a code was not taken: nobody has it now, or codes are locked. */
export type ApprovalRefusal = "wrong_code" | "locked";

/** Letters and digits of codes: none that is taken for another (0 O, 1 I). 32 of them: a byte's low five bits pick one. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_CHARS = 8;
/** How long a code is good. */
export const PAIRING_CODE_MS = 3_600_000;
/** Least time between two codes for one person. */
const REQUEST_INTERVAL_MS = 600_000;
const MAX_PENDING = 3;
const MAX_WRONG_CODES = 5;
const LOCK_MS = 3_600_000;

/** The pairing of a platform where nobody has asked yet. */
export const NO_PAIRINGS: PairingState = { pending: [], requests: {}, wrongCodes: 0, lockedUntil: 0 };

/** Gives a stranger a code; whoever has one already is told the same again. `now` is epoch milliseconds. */
export function requestCode(
  state: PairingState,
  user: PairingUser,
  now: number,
  randomBytes: (length: number) => Uint8Array,
): { readonly state: PairingState; readonly result: { readonly code: string } | { readonly reason: RequestRefusal } } {
  const current = withoutOld(state, now);
  const refuse = (reason: RequestRefusal) => ({ state: current, result: { reason } });
  if (now < current.lockedUntil) return refuse("locked");
  const known = current.pending.find((pairing) => pairing.user.id === user.id);
  if (known !== undefined) return { state: current, result: { code: known.code } };
  if (Object.hasOwn(current.requests, user.id)) return refuse("rate_limited");
  if (current.pending.length >= MAX_PENDING) return refuse("too_many_pending");
  const code = makeCode(randomBytes(CODE_CHARS));
  const pending = [...current.pending, { code, user, requestedAt: now }];
  const requests = { ...current.requests, [user.id]: now };
  return { state: { ...current, pending, requests }, result: { code } };
}

/** Approves whoever a code was given to, and uses it up. Case, blanks and dashes do not matter. */
export function approveCode(
  state: PairingState,
  code: string,
  now: number,
): {
  readonly state: PairingState;
  readonly result: { readonly user: PairingUser } | { readonly reason: ApprovalRefusal };
} {
  const current = withoutOld(state, now);
  if (now < current.lockedUntil) return { state: current, result: { reason: "locked" } };
  const given = code.slice(0, 64).toUpperCase().replaceAll(/[\s-]/g, "");
  // all are compared, whichever fits: the time tells nothing
  const matches = current.pending.filter((pairing) => isSameCode(pairing.code, given));
  const found = matches.at(0);
  if (found === undefined) return { state: withWrongCode(current, now), result: { reason: "wrong_code" } };
  const pending = current.pending.filter((pairing) => pairing !== found);
  return { state: { ...current, pending, wrongCodes: 0 }, result: { user: found.user } };
}

/** The codes that wait to be approved, oldest first. */
export function listPending(state: PairingState, now: number): readonly PendingPairing[] {
  return withoutOld(state, now).pending;
}

/** Takes a person's waiting code back. */
export function revokePending(
  state: PairingState,
  userId: string,
  now: number,
): { readonly state: PairingState; readonly isRevoked: boolean } {
  const current = withoutOld(state, now);
  const pending = current.pending.filter((pairing) => pairing.user.id !== userId);
  return { state: { ...current, pending }, isRevoked: pending.length < current.pending.length };
}

/** What still counts: what has run out is forgotten here, so that the state cannot grow. */
function withoutOld(state: PairingState, now: number): PairingState {
  return {
    ...state,
    pending: state.pending.filter((pairing) => now < pairing.requestedAt + PAIRING_CODE_MS),
    requests: Object.fromEntries(Object.entries(state.requests).filter(([, at]) => now < at + REQUEST_INTERVAL_MS)),
  };
}

function withWrongCode(state: PairingState, now: number): PairingState {
  const wrongCodes = state.wrongCodes + 1;
  return wrongCodes < MAX_WRONG_CODES
    ? { ...state, wrongCodes }
    : { ...state, wrongCodes: 0, lockedUntil: now + LOCK_MS };
}

function makeCode(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, CODE_CHARS), (byte) => ALPHABET[byte & 31] ?? "").join("");
}

/** Compares in a time that tells nothing about where two codes differ. */
function isSameCode(code: string, given: string): boolean {
  let difference = code.length ^ given.length;
  for (let i = 0; i < code.length; i++) difference |= code.charCodeAt(i) ^ given.charCodeAt(i % (given.length || 1));
  return difference === 0;
}
