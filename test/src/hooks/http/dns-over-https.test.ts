import { expect, it } from "vitest";
import { createDnsOverHttps } from "#src/hooks/http/dns-over-https";
import type { DnsAnswer } from "#src/hooks/http/resolve-public";

const ENDPOINT = "https://dns.example.net/dns-query";
const signal = new AbortController().signal;

async function resolve(body: unknown, init: ResponseInit = {}): Promise<DnsAnswer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const fetch = async (): Promise<Response> => new Response(text, init);
  return createDnsOverHttps({ fetch, endpoint: ENDPOINT })("hooks.example.com", "A", signal);
}

it("asks the configured resolver for one type, without following redirects", async () => {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const resolveHost = createDnsOverHttps({
    fetch: async (input, init) => {
      asked.push({ url: new Request(input).url, init });
      return new Response('{"Status":0}');
    },
    endpoint: `${ENDPOINT}?token=t`,
  });
  await resolveHost("hooks.example.com", "AAAA", signal);
  expect(asked[0]?.url).toBe(`${ENDPOINT}?token=t&name=hooks.example.com&type=AAAA`);
  expect(asked[0]?.init).toMatchObject({ redirect: "manual", headers: { accept: "application/dns-json" }, signal });
});

it("reads addresses, the names on the way and the shortest time to live", async () => {
  const answer = await resolve({
    Status: 0,
    TC: false,
    Question: [{ name: "hooks.example.com", type: 1 }],
    Answer: [
      { name: "hooks.example.com", type: 5, TTL: 20, data: "cdn.example.net." },
      { name: "cdn.example.net", type: 1, TTL: 300, data: "93.184.216.34" },
      { name: "cdn.example.net", type: 46, TTL: 300, data: "a signature" },
    ],
  });
  const expected = { isFound: true, addresses: ["93.184.216.34"], cnames: ["cdn.example.net."], ttlSeconds: 20 };
  expect(answer).toEqual(expected);
});

it("keeps an address of the family that was not asked for, so that it is judged too", async () => {
  const answer = await resolve({ Status: 0, Answer: [{ type: 28, TTL: 9, data: "::1" }] });
  expect(answer).toMatchObject({ addresses: ["::1"] });
});

it("takes a name that does not exist for one without records", async () => {
  expect(await resolve({ Status: 3 })).toEqual({ isFound: true, addresses: [], cnames: [], ttlSeconds: 0 });
});

it.each<[string, unknown, ResponseInit]>([
  ["a server's failure", { Status: 2 }, {}],
  ["a cut answer", { Status: 0, TC: true, Answer: [{ type: 1, TTL: 1, data: "8.8.8.8" }] }, {}],
  ["no JSON", "<html>", {}],
  ["a list", "[]", {}],
  ["no status", { Answer: [] }, {}],
  ["rows that are none", { Status: 0, Answer: [{ type: "A", data: 1 }] }, {}],
  ["a negative time to live", { Status: 0, Answer: [{ type: 1, TTL: -1, data: "8.8.8.8" }] }, {}],
  ["another status", { Status: 0 }, { status: 500 }],
  ["a redirect", { Status: 0 }, { status: 302 }],
  ["too many bytes", { Status: 0, Comment: "x".repeat(70_000) }, {}],
])("takes %s for no answer", async (_what, body, init) => {
  expect(await resolve(body, init)).toEqual({ isFound: false });
});
