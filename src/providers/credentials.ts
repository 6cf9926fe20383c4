import type { ModelFailure } from "#src/domain/provider";

/** Which of several keys is taken. */
export type KeyStrategy =
  /** The first that may be used: its prompt cache stays warm. */
  "fill_first" | "round_robin" | "random" | "least_used";

/** Somebody who works with a key just now. */
export interface Lease {
  readonly holder: string;
  /** Epoch milliseconds after which it counts no more: its holder was cut off. */
  readonly until: number;
}

/** What is remembered of one key. Never the key: only where it stands, and a fingerprint that tells when it changed. */
export interface Credential {
  /** Its name in the environment. */
  readonly name: string;
  readonly fingerprint: string;
  /** `dead`: its account is shut; it stays out until it is replaced, or for a day. */
  readonly status: "ok" | "exhausted" | "dead";
  /** Epoch milliseconds until which it is not used. */
  readonly until?: number;
  /** Why it is not used. */
  readonly reason?: ModelFailure["reason"];
  readonly uses: number;
  readonly lastUsedAt?: number;
  readonly leases: readonly Lease[];
}

/** The keys of one vendor. Plain JSON: it is stored, and crosses RPC. */
export interface CredentialPool {
  readonly vendor: string;
  readonly credentials: readonly Credential[];
  /** The key that was taken last. */
  readonly lastName?: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds that a key rests after its account refused it: often a switch at the vendor's that takes a moment. */
const AUTH_REST_MS = 5 * MINUTE_MS;
/** Milliseconds that a key rests after any other failure, when the vendor does not say how long. */
const REST_MS = HOUR_MS;
/** Milliseconds that the only key rests: resting longer would be the longer failure. */
const ONLY_KEY_REST_MS = MINUTE_MS;
const DEAD_MS = 24 * HOUR_MS;
/** Hex digits of a fingerprint: enough to tell keys apart, too few to be of use to anyone else. */
const FINGERPRINT_DIGITS = 12;

/** A key's fingerprint: the beginning of its SHA-256. */
export async function fingerprintOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.slice(0, FINGERPRINT_DIGITS);
}

/** Brings a pool up to date with the keys that there are: new ones and changed ones begin afresh, others are gone. */
export function syncPool(
  pool: CredentialPool | undefined,
  vendor: string,
  keys: readonly Pick<Credential, "name" | "fingerprint">[],
): CredentialPool {
  const known = new Map((pool?.credentials ?? []).map((each) => [each.name, each]));
  const credentials = keys.map(({ name, fingerprint }): Credential => {
    const before = known.get(name);
    return before?.fingerprint === fingerprint ? before : { name, fingerprint, status: "ok", uses: 0, leases: [] };
  });
  return { vendor, credentials, ...(pool?.lastName === undefined ? {} : { lastName: pool.lastName }) };
}

/** Marks a key after a failed call. A failure that says nothing of the key leaves the pool as it is. */
export function markFailed(pool: CredentialPool, name: string, failure: ModelFailure, now: number): CredentialPool {
  const restMs = restMsOf(pool, failure);
  if (restMs === undefined) return pool;
  return change(pool, name, (credential) => ({
    ...credential,
    status: failure.reason === "auth_permanent" ? "dead" : "exhausted",
    until: now + restMs,
    reason: failure.reason,
  }));
}

/** Marks a key after a call that was answered: whatever it was out for has passed. */
export function markAnswered(pool: CredentialPool, name: string): CredentialPool {
  return change(pool, name, ({ name: own, fingerprint, uses, lastUsedAt, leases }) => ({
    name: own,
    fingerprint,
    status: "ok",
    uses,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    leases,
  }));
}

/** Applies a change to one key of a pool. */
export function change(pool: CredentialPool, name: string, to: (credential: Credential) => Credential): CredentialPool {
  return { ...pool, credentials: pool.credentials.map((each) => (each.name === name ? to(each) : each)) };
}

/** Failures that a key is to blame for, and those that pass by themselves. */
const BLAMED = new Set<ModelFailure["reason"]>(["auth", "auth_permanent", "billing", "rate_limit"]);

/** Milliseconds that a key rests; what the vendor says wins. */
function restMsOf(pool: CredentialPool, failure: ModelFailure): number | undefined {
  const { reason, retryAfterMs, shouldRotateCredential } = failure;
  if (reason === "auth_permanent") return DEAD_MS;
  if (!BLAMED.has(reason) && shouldRotateCredential !== true) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs;
  const isOnly = pool.credentials.filter(({ status }) => status !== "dead").length <= 1;
  if (reason === "auth") return AUTH_REST_MS;
  return isOnly && reason !== "billing" ? ONLY_KEY_REST_MS : REST_MS;
}
