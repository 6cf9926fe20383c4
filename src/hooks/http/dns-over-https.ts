import * as z from "zod";
import { readBounded } from "./read-bounded";
import type { DnsAnswer, ResolveHost } from "./resolve-public";

/** Longest answer in bytes: a name with hundreds of addresses is none of ours. */
const MAX_ANSWER_BYTES = 64 * 1024;

const RECORD_TYPE = { A: 1, CNAME: 5, AAAA: 28, DNAME: 39 } as const;
const NO_SUCH_NAME = 3;

/** Source: https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const answerSchema = z.object({
  Status: z.int(),
  TC: z.boolean().optional(),
  Answer: z.array(z.object({ type: z.int(), TTL: z.number().nonnegative().optional(), data: z.string() })).optional(),
});

export interface DnsOverHttpsOptions {
  readonly fetch: typeof fetch;
  /** A resolver that answers `application/dns-json`, e.g. `https://cloudflare-dns.com/dns-query`. */
  readonly endpoint: string;
}

/**
 * Makes a resolver over HTTPS, which is how a Worker can ask for names. Its answer is as hostile as any: what is not
 * whole and well-formed counts as no answer at all.
 */
export function createDnsOverHttps({ fetch, endpoint }: DnsOverHttpsOptions): ResolveHost {
  return async function resolveOverHttps(host, type, signal) {
    const url = new URL(endpoint);
    url.searchParams.set("name", host);
    url.searchParams.set("type", type);
    const response = await fetch(url.href, {
      headers: { accept: "application/dns-json" },
      redirect: "manual",
      signal,
    });
    const body = await readBounded(response, MAX_ANSWER_BYTES, signal);
    return response.status === 200 && body.isText ? readAnswer(body.text) : { isFound: false };
  };
}

function readAnswer(body: string): DnsAnswer {
  const parsed = answerSchema.safeParse(parseJson(body));
  if (!parsed.success || parsed.data.TC === true) return { isFound: false };
  const { Status: status, Answer: rows = [] } = parsed.data;
  // a name that does not exist has no records: that is an answer, and a refusal further on
  if (status === NO_SUCH_NAME) return { isFound: true, addresses: [], cnames: [], ttlSeconds: 0 };
  if (status !== 0) return { isFound: false };
  const dataOf = (...types: readonly number[]): string[] =>
    rows.filter((row) => types.includes(row.type)).map(({ data }) => data.trim());
  return {
    isFound: true,
    // addresses of the other family count too: every address that was answered must pass
    addresses: dataOf(RECORD_TYPE.A, RECORD_TYPE.AAAA),
    cnames: dataOf(RECORD_TYPE.CNAME, RECORD_TYPE.DNAME),
    ttlSeconds: rows.length === 0 ? 0 : Math.min(...rows.map(({ TTL }) => TTL ?? 0)),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
