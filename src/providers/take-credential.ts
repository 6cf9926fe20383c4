import { type Credential, type CredentialPool, type KeyStrategy, type Lease, change } from "./credentials";

export interface TakeOptions {
  readonly strategy: KeyStrategy;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Who takes it; the same holder keeps one lease however often it takes. */
  readonly holder?: string;
  /** Milliseconds until a lease counts no more; half an hour when absent. */
  readonly leaseMs?: number;
  /** Holders of one key at a time; any number when absent. */
  readonly maxHolders?: number;
  /** Keys that this call has tried in vain. */
  readonly without?: readonly string[];
}

export type TakenCredential =
  | { readonly pool: CredentialPool; readonly name: string }
  /** None may be used; `freeAt` is when the first may again, in epoch milliseconds, when that is known. */
  | { readonly pool: CredentialPool; readonly name?: undefined; readonly freeAt?: number };

const LEASE_MS = 30 * 60_000;

/** Takes a key by the strategy, among those that may be used; where all are held by others, the one with fewest. */
export function takeCredential(pool: CredentialPool, options: TakeOptions): TakenCredential {
  const rested = pool.credentials.map((each) => rest(each, options.now));
  const current = { ...pool, credentials: rested };
  const usable = rested.filter(({ status, name }) => status === "ok" && options.without?.includes(name) !== true);
  const others = (each: Credential): number => holdersOf(each, options).length;
  const fewest = Math.min(...usable.map(others));
  const free = usable.filter(
    (each) => others(each) < Math.max(options.maxHolders ?? Number.POSITIVE_INFINITY, fewest + 1),
  );
  const taken = pick(free, current, options);
  if (taken === undefined) return none(current, options);
  const used = change(current, taken.name, (each) => ({
    ...each,
    uses: each.uses + 1,
    lastUsedAt: options.now,
    leases: leasesWith(each, options),
  }));
  return { pool: { ...used, lastName: taken.name }, name: taken.name };
}

/** Gives a key back that a holder has done with. */
export function releaseCredential(pool: CredentialPool, name: string, holder: string): CredentialPool {
  return change(pool, name, (each) => ({ ...each, leases: each.leases.filter((lease) => lease.holder !== holder) }));
}

/** How many keys may be used now, beside those that were tried in vain. */
export function countUsable(pool: CredentialPool, now: number, without: readonly string[] = []): number {
  return pool.credentials.filter((each) => rest(each, now).status === "ok" && !without.includes(each.name)).length;
}

/** A key whose time is over is as good as new, and leases that ran out are gone. */
function rest(credential: Credential, now: number): Credential {
  const leases = credential.leases.filter(({ until }) => until > now);
  const isRested = credential.status !== "ok" && credential.until !== undefined && credential.until <= now;
  if (!isRested) return { ...credential, leases };
  const { until: _until, reason: _reason, ...kept } = credential;
  return { ...kept, status: "ok", leases };
}

function holdersOf({ leases }: Credential, { holder }: TakeOptions): readonly Lease[] {
  return leases.filter((lease) => lease.holder !== holder);
}

function leasesWith(credential: Credential, options: TakeOptions): readonly Lease[] {
  const { holder, now, leaseMs = LEASE_MS } = options;
  return holder === undefined
    ? credential.leases
    : [...holdersOf(credential, options), { holder, until: now + leaseMs }];
}

/** Picks a key from those that are free, in the order of the pool. */
type Picker = (free: readonly Credential[], pool: CredentialPool, options: TakeOptions) => Credential | undefined;

const PICKERS: Readonly<Record<KeyStrategy, Picker>> = {
  fill_first: (free) => free[0],
  random: (free, _pool, { random }) => free[Math.min(free.length - 1, Math.floor(random() * free.length))],
  least_used: (free) => free.toSorted((a, b) => a.uses - b.uses)[0],
  round_robin(free, pool) {
    const last = pool.credentials.findIndex(({ name }) => name === pool.lastName);
    const after = [...pool.credentials.slice(last + 1), ...pool.credentials.slice(0, last + 1)];
    return after.find((each) => free.some(({ name }) => name === each.name));
  },
};

function pick(free: readonly Credential[], pool: CredentialPool, options: TakeOptions): Credential | undefined {
  return free.length === 0 ? undefined : PICKERS[options.strategy](free, pool, options);
}

function none(pool: CredentialPool, { without = [] }: TakeOptions): TakenCredential {
  const times = pool.credentials.flatMap(({ name, status, until }) =>
    status === "exhausted" && until !== undefined && !without.includes(name) ? [until] : [],
  );
  return { pool, ...(times.length === 0 ? {} : { freeAt: Math.min(...times) }) };
}
