import { expect, it } from "vitest";
import { type CredentialPool, type KeyStrategy, markFailed, syncPool } from "#src/providers/credentials";
import { type TakeOptions, countUsable, releaseCredential, takeCredential } from "#src/providers/take-credential";

const NOW = 1_790_000_000_000;
const FRESH = syncPool(
  undefined,
  "openai",
  ["A", "B", "C"].map((name) => ({ name, fingerprint: name })),
);

function options(more: Partial<TakeOptions> = {}): TakeOptions {
  return { strategy: "fill_first", now: NOW, random: () => 0, ...more };
}

/** Names of the keys that are taken one after another. */
function takeAll(pool: CredentialPool, each: readonly Partial<TakeOptions>[]): (string | undefined)[] {
  let current = pool;
  return each.map((more) => {
    const taken = takeCredential(current, options(more));
    current = taken.pool;
    return taken.name;
  });
}

it.each<[KeyStrategy, readonly string[]]>([
  ["fill_first", ["A", "A", "A", "A"]],
  ["round_robin", ["A", "B", "C", "A"]],
  ["least_used", ["A", "B", "C", "A"]],
])("takes keys by %s", (strategy, expected) => {
  expect(
    takeAll(
      FRESH,
      [1, 2, 3, 4].map(() => ({ strategy })),
    ),
  ).toEqual(expected);
});

it.each([
  [0, "A"],
  [0.5, "B"],
  [0.999, "C"],
  [1, "C"],
])("takes a random key by %d", (number, expected) => {
  expect(takeCredential(FRESH, options({ strategy: "random", random: () => number })).name).toBe(expected);
});

it("counts what it took, and when", () => {
  const { pool } = takeCredential(FRESH, options());
  expect(pool.credentials[0]).toMatchObject({ uses: 1, lastUsedAt: NOW });
  expect(FRESH.credentials[0]?.uses).toBe(0);
});

it("passes by keys that rest until their time is over", () => {
  const failure = { reason: "rate_limit", retryable: true, message: "", retryAfterMs: 1000 } as const;
  const tired = markFailed(FRESH, "A", failure, NOW);
  expect(takeAll(tired, [{ now: NOW + 999 }, { now: NOW + 1000 }])).toEqual(["B", "A"]);
  expect(countUsable(tired, NOW)).toBe(2);
  expect(countUsable(tired, NOW, ["B"])).toBe(1);
  expect(countUsable(tired, NOW + 1000)).toBe(3);
});

it("says when the first key is free again when none is", () => {
  const tire = (pool: CredentialPool, name: string, retryAfterMs: number): CredentialPool =>
    markFailed(pool, name, { reason: "rate_limit", retryable: true, message: "", retryAfterMs }, NOW);
  const pool = tire(tire(tire(FRESH, "A", 3000), "B", 1000), "C", 2000);
  expect(takeCredential(pool, options())).toMatchObject({ freeAt: NOW + 1000 });
  expect(takeCredential(pool, options()).name).toBeUndefined();
  expect(takeCredential(syncPool(undefined, "x", []), options())).toEqual({
    pool: { vendor: "x", credentials: [] },
  });
});

it("does not take a key twice for one call", () => {
  expect(takeAll(FRESH, [{ without: ["A"] }, { without: ["A", "B"] }, { without: ["A", "B", "C"] }])).toEqual([
    "B",
    "C",
    undefined,
  ]);
});

it("gives each holder a key of its own while there are enough, and the least held one after that", () => {
  const holders = ["s1", "s2", "s3", "s4", "s1"].map((holder) => ({ holder, maxHolders: 1 }));
  expect(takeAll(FRESH, holders)).toEqual(["A", "B", "C", "A", "A"]);
});

it("frees a key when its holder has done, or was gone for too long", () => {
  const held = takeCredential(FRESH, options({ holder: "s1", leaseMs: 1000 })).pool;
  const second = { holder: "s2", maxHolders: 1 };
  expect(takeCredential(held, options(second)).name).toBe("B");
  expect(takeCredential(held, options({ ...second, now: NOW + 1000 })).name).toBe("A");
  expect(takeCredential(releaseCredential(held, "A", "s1"), options(second)).name).toBe("A");
});
