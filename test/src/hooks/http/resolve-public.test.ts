import { expect, it } from "vitest";
import { type DnsAnswer, type ResolveHost, confirmPublic, createResolvePublic } from "#src/hooks/http/resolve-public";

const signal = new AbortController().signal;
const NOTHING: DnsAnswer = { isFound: true, addresses: [], cnames: [], ttlSeconds: 0 };

function found(...addresses: string[]) {
  return { isFound: true as const, addresses, cnames: [], ttlSeconds: 300 };
}

/** A resolver that gives the same pair of answers each time and counts its lookups. */
function resolver(a: DnsAnswer, aaaa: DnsAnswer = NOTHING): { resolve: ResolveHost; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(host, type) {
      asked.push(`${type} ${host}`);
      return type === "A" ? a : aaaa;
    },
  };
}

async function judge(a: DnsAnswer, aaaa?: DnsAnswer): Promise<string> {
  const { resolve } = resolver(a, aaaa);
  const verdict = await createResolvePublic({ resolve, now: () => 0 })("hooks.example.com", "s", signal);
  return verdict.class;
}

it("asks for both families and gives the addresses", async () => {
  const { resolve, asked } = resolver(found("93.184.216.34"), found("2606:2800:220:1::1"));
  const verdict = await createResolvePublic({ resolve, now: () => 0 })("hooks.example.com", "s", signal);
  expect(verdict).toEqual({ class: "public", addresses: ["93.184.216.34", "2606:2800:220:1::1"] });
  expect(asked).toEqual(["A hooks.example.com", "AAAA hooks.example.com"]);
});

it("refuses a name when one address of one answer is not public", async () => {
  expect(await judge(found("93.184.216.34", "10.1.2.3"))).toBe("dns-private");
  expect(await judge(found("93.184.216.34"), found("::1"))).toBe("dns-private");
  expect(await judge(found("93.184.216.34"), found("fe80::1%eth0"))).toBe("dns-private");
  expect(await judge(found("not an address"))).toBe("dns-private");
});

it("refuses a name that leads through one that is not public", async () => {
  const through = (cname: string): DnsAnswer => ({ ...found("93.184.216.34"), cnames: [cname] });
  const judged = await Promise.all(
    ["cdn.example.net.", "DB.internal.", "localhost", "intranet", "metadata.goog"].map((name) => judge(through(name))),
  );
  expect(judged).toEqual(["public", "dns-private", "dns-private", "dns-private", "dns-private"]);
});

it("takes neither silence nor failure for a good answer", async () => {
  expect(await judge(NOTHING)).toBe("dns-empty");
  expect(await judge({ isFound: false })).toBe("dns-error");
  expect(await judge(found("93.184.216.34"), { isFound: false })).toBe("dns-error");
  expect(await judge({ isFound: false }, found("::1"))).toBe("dns-private");
});

it("takes a resolver that throws for one that failed", async () => {
  const resolvePublic = createResolvePublic({ resolve: () => Promise.reject(new Error("down")), now: () => 0 });
  expect(await resolvePublic("hooks.example.com", "s", signal)).toEqual({ class: "dns-error" });
});

it("says which answer spoiled it", async () => {
  const { resolve } = resolver(found("10.1.2.3"));
  const verdict = await createResolvePublic({ resolve, now: () => 0 })("hooks.example.com", "s", signal);
  expect(verdict).toEqual({ class: "dns-private", answer: "10.1.2.3", answerClass: "private" });
});

it.each([
  [300, 59_999, 2],
  [300, 60_000, 4],
  [5, 4_999, 2],
  [5, 5_000, 4],
  [0, 0, 4],
])("believes an answer with a time to live of %i s after %i ms by %i lookups", async (ttlSeconds, later, lookups) => {
  let now = 1_000_000;
  const { resolve, asked } = resolver({ ...found("93.184.216.34"), ttlSeconds });
  const resolvePublic = createResolvePublic({ resolve, now: () => now });
  await resolvePublic("hooks.example.com", "s", signal);
  now += later;
  await resolvePublic("hooks.example.com", "s", signal);
  expect(asked).toHaveLength(lookups);
});

it("shares answers neither across approvals nor when they were bad", async () => {
  const good = resolver(found("93.184.216.34"));
  const resolvePublic = createResolvePublic({ resolve: good.resolve, now: () => 0 });
  await resolvePublic("hooks.example.com", "first", signal);
  await resolvePublic("hooks.example.com", "second", signal);
  expect(good.asked).toHaveLength(4);
  const bad = resolver(found("10.0.0.1"));
  const resolveBad = createResolvePublic({ resolve: bad.resolve, now: () => 0 });
  await resolveBad("hooks.example.com", "s", signal);
  await resolveBad("hooks.example.com", "s", signal);
  expect(bad.asked).toHaveLength(4);
});

it("refuses at approval a name that changes between two looks a second apart", async () => {
  const answers = [found("93.184.216.34"), NOTHING, found("127.0.0.1"), NOTHING];
  const waits: number[] = [];
  const verdict = await confirmPublic(
    "rebind.example.com",
    {
      resolve: async () => answers.shift() ?? NOTHING,
      wait: async (ms) => {
        waits.push(ms);
      },
    },
    signal,
  );
  expect(verdict.class).toBe("dns-private");
  expect(waits).toEqual([1000]);
});
