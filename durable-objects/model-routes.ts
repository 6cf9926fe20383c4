import type { ModelRoute } from "#src/agent/ask-models";
import { GatewayError } from "#src/domain/errors";
import type { ProviderContext } from "#src/domain/provider";
import type { ChosenModel } from "#src/providers/choose-provider";
import {
  type CredentialPool,
  type KeyStrategy,
  fingerprintOf,
  markAnswered,
  markFailed,
  syncPool,
} from "#src/providers/credentials";
import { countUsable, takeCredential } from "#src/providers/take-credential";

/** The keys of an isolate's vendors and where they stand. Failures are told to the profile, which tells the others. */
export interface KeyRing {
  /** Brings a vendor's pool up to date with its keys: once for each chosen model. */
  load(chosen: ChosenModel): Promise<void>;
  isLoaded(chosen: ChosenModel): boolean;
  /** Names of the keys that may be used, the one to take first. */
  usable(chosen: ChosenModel): readonly string[];
  /** Epoch milliseconds until which all keys rest; undefined when one may be used. */
  blockedUntil(chosen: ChosenModel): number | undefined;
  failed(vendor: string, name: string, failure: Parameters<typeof markFailed>[2]): CredentialPool | undefined;
  answered(vendor: string, name: string): void;
}

export function openKeyRing(
  options: { readonly strategy: KeyStrategy; readonly now: () => number; readonly random: () => number },
  known: Readonly<Record<string, CredentialPool>>,
): KeyRing {
  const pools = new Map<string, CredentialPool>(Object.entries(known));
  const loaded = new WeakSet<ChosenModel>();

  function pool(chosen: ChosenModel): CredentialPool | undefined {
    return pools.get(chosen.vendor);
  }

  return {
    async load(chosen) {
      const keys = await Promise.all(
        chosen.keys.map(async ({ name, key }) => ({ name, fingerprint: await fingerprintOf(key) })),
      );
      pools.set(chosen.vendor, syncPool(pools.get(chosen.vendor), chosen.vendor, keys));
      loaded.add(chosen);
    },
    isLoaded: (chosen) => loaded.has(chosen),
    usable(chosen) {
      const current = pool(chosen);
      if (current === undefined || chosen.keys.length === 0) return [""];
      const [only] = chosen.keys;
      // one key that works needs no choosing
      if (only !== undefined && chosen.keys.length === 1 && current.credentials[0]?.status === "ok") return [only.name];
      const taken = takeCredential(current, { strategy: options.strategy, now: options.now(), random: options.random });
      pools.set(chosen.vendor, taken.pool);
      if (taken.name === undefined) return [];
      const others = current.credentials.map(({ name }) => name).filter((name) => name !== taken.name);
      const left = others.filter((name) => {
        const without = current.credentials.map((one) => one.name).filter((one) => one !== name);
        return countUsable(current, options.now(), without) > 0;
      });
      return [taken.name, ...left];
    },
    blockedUntil(chosen) {
      const current = pool(chosen);
      if (current === undefined || chosen.keys.length === 0 || countUsable(current, options.now()) > 0)
        return undefined;
      const times = current.credentials.flatMap(({ until }) => (until === undefined ? [] : [until]));
      return times.length === 0 ? undefined : Math.min(...times);
    },
    failed(vendor, name, failure) {
      const before = pools.get(vendor);
      const after = before === undefined ? undefined : markFailed(before, name, failure, options.now());
      if (after === undefined || after === before) return undefined;
      pools.set(vendor, after);
      return after;
    },
    answered(vendor, name) {
      const before = pools.get(vendor);
      if (before?.credentials.some((one) => one.name === name && one.status !== "ok") === true)
        pools.set(vendor, markAnswered(before, name));
    },
  };
}

/** A chosen model as the turn asks it. */
export function routeOfModel(
  chosen: ChosenModel,
  ring: KeyRing,
  context: Omit<ProviderContext, "signal">,
  onFailedKey: (pool: CredentialPool) => void,
): ModelRoute {
  const keyOf = new Map(chosen.keys.map(({ name, key }) => [name, key]));
  return {
    provider: chosen.provider.name,
    model: chosen.model,
    keys: () => ring.usable(chosen),
    stream(request, name, signal) {
      const apiKey = keyOf.get(name);
      const connection = apiKey === undefined ? chosen.connection : { ...chosen.connection, apiKey };
      return chosen.provider.stream(request, connection, { ...context, signal });
    },
    onKey(name, failure) {
      if (name === "") return;
      if (failure === undefined) return ring.answered(chosen.vendor, name);
      const pool = ring.failed(chosen.vendor, name, failure);
      if (pool !== undefined) onFailedKey(pool);
    },
  };
}

/** The models to fall back on; one whose vendor has no key here is passed over. */
export function fallbacksOf(
  names: readonly string[],
  choose: (name: string) => ChosenModel,
  chosen: ChosenModel,
): readonly ChosenModel[] {
  return names.flatMap((name) => {
    try {
      const one = choose(name);
      return one.vendor === chosen.vendor && one.model === chosen.model ? [] : [one];
    } catch (error) {
      if (error instanceof GatewayError) return [];
      throw error;
    }
  });
}

/** Why a model that somebody names would not answer; undefined when it may. */
export function problemOfModel(name: string, choose: (name: string) => ChosenModel): string | undefined {
  try {
    const { vendor } = choose(name);
    // the demo model stands in for whatever nothing here can ask
    if (vendor !== "demo" || name.toLowerCase() === "demo") return undefined;
    return "No model is set up: set OPENAI_API_KEY, OPENAI_BASE_URL for another endpoint, or another vendor's key.";
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}
