import { guardWebUrl } from "#src/hooks/http/guard-web-url";
import type { DnsAnswer, ResolveHost } from "#src/hooks/http/resolve-public";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

/** What a case says of a URL, in the names of the format. */
interface SsrfCase {
  readonly id: string;
  readonly input: {
    readonly url: string;
    /** Addresses of a name, or `NXDOMAIN`; a name that is missing does not exist. */
    readonly dns?: Readonly<Record<string, readonly string[] | string>>;
    readonly allow_private_urls?: boolean;
    readonly http_proxy_configured?: boolean;
  };
  readonly expected: { readonly allowed: boolean };
  /** The reviewer's word where what was observed is judged wrong. */
  readonly better?: { readonly allowed: boolean };
}

/** The peer's one exception: media of QQ, which proxies answer from the benchmark range. */
const FAKE_IP_HOSTS = ["multimedia.nt.qq.com.cn"];

/** Which URLs may be fetched, and which lead into networks that are nobody's business. */
export const ssrf: Suite = {
  suite: "ssrf",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return Promise.all((file["cases"] as readonly SsrfCase[]).map(judge));
  },
};

async function judge({ id, input, expected, better }: SsrfCase): Promise<Result> {
  const policy = {
    allowPrivate: input.allow_private_urls === true,
    hasProxy: input.http_proxy_configured === true,
    fakeIpHosts: FAKE_IP_HOSTS,
  };
  const found = await guardWebUrl(input.url, policy, resolverOf(input.dns ?? {}), new AbortController().signal);
  const allowed = (better ?? expected).allowed;
  const word = allowed ? "allowed" : "refused";
  return resultOf(id, (found === "public") === allowed ? [] : [{ expected: word, got: found }]);
}

function resolverOf(dns: Readonly<Record<string, readonly string[] | string>>): ResolveHost {
  const names = new Map(Object.entries(dns).map(([name, found]) => [name.toLowerCase().replace(/\.$/, ""), found]));
  return async (host, type): Promise<DnsAnswer> => {
    const found = names.get(host);
    if (found === undefined || typeof found === "string") return { isFound: false };
    const addresses = found.filter((address) => address.includes(":") === (type === "AAAA"));
    return { isFound: true, addresses, cnames: [], ttlSeconds: 60 };
  };
}
