import { type AddressClass, judgeAddress } from "./judge-address";
import { type NameClass, judgeName } from "./judge-name";

/** Longest that a good answer is believed, in milliseconds, whatever its time to live. */
const MAX_CACHE_MS = 60_000;
const MAX_CACHED_NAMES = 500;

/** Milliseconds between the two lookups of {@link confirmPublic}. */
const SECOND_LOOK_MS = 1000;

/** What a resolver found for one name and type. `isFound: false` is a failure to find out, never "nothing there". */
export type DnsAnswer =
  | {
      readonly isFound: true;
      readonly addresses: readonly string[];
      /** Names on the way, in any order. */
      readonly cnames: readonly string[];
      readonly ttlSeconds: number;
    }
  | { readonly isFound: false };

/** Asks for one record type of a name. What it throws counts as `isFound: false`. */
export type ResolveHost = (host: string, type: "A" | "AAAA", signal: AbortSignal) => Promise<DnsAnswer>;

export type NameVerdict =
  | { readonly class: "public"; readonly addresses: readonly string[] }
  | {
      readonly class: "dns-private";
      /** The first answer that is not public, and its class, for the operator. */
      readonly answer: string;
      readonly answerClass: Exclude<NameClass | AddressClass, "public"> | "no-address";
    }
  | { readonly class: "dns-empty" | "dns-error" };

/** Judges a name by everything it resolves to. `scope` is the approval it is asked for: answers are not shared across. */
export type ResolvePublic = (host: string, scope: string, signal: AbortSignal) => Promise<NameVerdict>;

export interface ResolvePublicPorts {
  readonly resolve: ResolveHost;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Makes the judge of names. It remembers good answers for as long as they say, at most a minute. Never throws. */
export function createResolvePublic(ports: ResolvePublicPorts): ResolvePublic {
  const cache = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>();
  return async function resolvePublic(host, scope, signal) {
    const key = `${scope}\n${host}`;
    const known = cache.get(key);
    if (known !== undefined && ports.now() < known.until) return { class: "public", addresses: known.addresses };
    cache.delete(key);
    const answers = await lookUp(host, ports.resolve, signal);
    const verdict = judgeAnswers(answers);
    if (verdict.class !== "public") return verdict;
    cache.set(key, { addresses: verdict.addresses, until: ports.now() + cacheMs(answers) });
    const oldest = cache.keys().next().value;
    if (cache.size > MAX_CACHED_NAMES && oldest !== undefined) cache.delete(oldest);
    return verdict;
  };
}

/**
 * Looks twice, a second apart and past every cache: a name that answers now this and now that is refused when it is
 * approved, not when it is called.
 */
export async function confirmPublic(
  host: string,
  ports: { readonly resolve: ResolveHost; readonly wait: (ms: number) => Promise<void> },
  signal: AbortSignal,
): Promise<NameVerdict> {
  const first = judgeAnswers(await lookUp(host, ports.resolve, signal));
  if (first.class !== "public") return first;
  await ports.wait(SECOND_LOOK_MS);
  return judgeAnswers(await lookUp(host, ports.resolve, signal));
}

/** How long answers are believed: as long as the one that goes stale first. An answer without addresses has no say. */
function cacheMs(answers: readonly DnsAnswer[]): number {
  const ttls = answers.flatMap((answer) => (answer.isFound && answer.addresses.length > 0 ? [answer.ttlSeconds] : []));
  return Math.min(...ttls.map((seconds) => seconds * 1000), MAX_CACHE_MS);
}

/** The A and the AAAA answer of a name. Never throws. */
export async function lookUp(host: string, resolve: ResolveHost, signal: AbortSignal): Promise<readonly DnsAnswer[]> {
  return Promise.all(
    (["A", "AAAA"] as const).map(async (type): Promise<DnsAnswer> => {
      try {
        return await resolve(host, type, signal);
      } catch {
        return { isFound: false };
      }
    }),
  );
}

/** One address that is not public spoils all of them: nobody knows which one a connection will take. */
function judgeAnswers(answers: readonly DnsAnswer[]): NameVerdict {
  const found = answers.filter((answer) => answer.isFound);
  for (const cname of found.flatMap(({ cnames }) => cnames)) {
    const name = cname.toLowerCase().replace(/\.$/, "");
    const nameClass = judgeName(name);
    if (nameClass !== "public") return { class: "dns-private", answer: name, answerClass: nameClass };
  }
  const addresses = found.flatMap((answer) => answer.addresses);
  for (const address of addresses) {
    const addressClass = judgeAddress(address) ?? "no-address";
    if (addressClass !== "public") return { class: "dns-private", answer: address, answerClass: addressClass };
  }
  if (found.length < answers.length) return { class: "dns-error" };
  return addresses.length === 0 ? { class: "dns-empty" } : { class: "public", addresses };
}
