import { expect, it } from "vitest";
import { type WebUrlPolicy, guardWebUrl } from "#src/hooks/http/guard-web-url";

async function judge(url: string, dns: readonly string[] | undefined, policy: WebUrlPolicy = {}): Promise<string> {
  const resolve = async (_host: string, type: string) =>
    dns === undefined
      ? { isFound: false as const }
      : {
          isFound: true as const,
          addresses: dns.filter((address) => address.includes(":") === (type === "AAAA")),
          cnames: [],
          ttlSeconds: 60,
        };
  return guardWebUrl(url, policy, resolve, new AbortController().signal);
}

it.each<[string, readonly string[] | undefined, string]>([
  ["https://user:pw@news.example.com:9999/a?b#c", ["93.184.216.34"], "public"],
  ["http://printer.local/", ["93.184.216.34"], "public"],
  ["http://printer/", ["192.168.1.9"], "private"],
  ["http://a.example.com/", ["93.184.216.34", "::1"], "loopback"],
  ["http://a.example.com/", ["::ffff:93.184.216.34"], "public"],
  ["http://a.example.com/", ["::ffff:10.0.0.1"], "ipv4-mapped"],
  ["http://a.example.com/", ["junk"], "no-address"],
  ["http://a.example.com/", [], "dns-empty"],
  ["http://a.example.com/", undefined, "dns-error"],
  ["http://localhost/", ["93.184.216.34"], "loopback"],
  ["http://metadata.google.internal./", ["93.184.216.34"], "special-name"],
  ["http://[::ffff:8.8.8.8]/", undefined, "public"],
  ["http://0x7f.1/", undefined, "loopback"],
  ["ftp://a.example.com/", ["93.184.216.34"], "scheme"],
  ["http:a.example.com/", ["93.184.216.34"], "malformed"],
  ["http://a.example.com\\@10.0.0.1/", ["93.184.216.34"], "malformed"],
])("judges %s, resolving to %j, as %s", async (url, dns, expected) => {
  expect(await judge(url, dns)).toBe(expected);
});

it("opens the operator's own network on demand, but never a cloud's credentials", async () => {
  const policy = { allowPrivate: true };
  expect(await judge("http://192.168.1.1/", undefined, policy)).toBe("public");
  expect(await judge("http://localhost:8080/", ["127.0.0.1"], policy)).toBe("public");
  expect(await judge("http://localhost:8080/", undefined, policy)).toBe("dns-error");
  expect(await judge("http://169.254.169.254/", undefined, policy)).toBe("link-local-metadata");
  expect(await judge("http://[2002:a9fe:a9fe::]/", undefined, policy)).toBe("6to4");
  expect(await judge("http://a.example.com/", ["64:ff9b::a9fe:a9fe"], policy)).toBe("nat64");
  expect(await judge("http://metadata.goog/", ["8.8.8.8"], policy)).toBe("special-name");
});

it("leaves a name that it cannot resolve to a proxy, but not an address or our own machine", async () => {
  const policy = { hasProxy: true };
  expect(await judge("https://a.example.com/", undefined, policy)).toBe("public");
  expect(await judge("https://a.example.com/", ["10.0.0.1"], policy)).toBe("private");
  expect(await judge("https://a.example.com/", [], policy)).toBe("dns-empty");
  expect(await judge("http://sub.localhost/", undefined, policy)).toBe("loopback");
  expect(await judge("http://2130706433/", undefined, policy)).toBe("loopback");
});

it("lets a listed host be answered from a proxy's range, over https alone", async () => {
  const policy = { fakeIpHosts: ["media.example.com"] };
  expect(await judge("https://media.example.com/", ["198.18.0.23"], policy)).toBe("public");
  expect(await judge("http://media.example.com/", ["198.18.0.23"], policy)).toBe("benchmark");
  expect(await judge("https://sub.media.example.com/", ["198.18.0.23"], policy)).toBe("benchmark");
  expect(await judge("https://media.example.com/", ["127.0.0.1"], policy)).toBe("loopback");
});
