import { expect, it } from "vitest";
import { type HookUrlSettings, hookUrlPolicy, judgeUrl } from "#src/hooks/http/judge-url";

const DEPLOYED: HookUrlSettings = { isLocal: false };

/** The class of a URL for a hook of a system whose hooks may be plain http. */
function classOf(url: string, settings: HookUrlSettings = DEPLOYED): string {
  return judgeUrl(url, hookUrlPolicy("starchild", settings)).class;
}

it.each([
  ["https://hooks.example.com/h", "public"],
  ["https://hooks.example.com:8443/h?x=1", "public"],
  ["http://hooks.example.com:8080/h", "public"],
  ["http://hooks.example.com:8443/h", "public"],
  [" https://hooks.example.com/h ", "public"],
  ["https://hooks.example.com./h", "public"],
  ["https://8.8.8.8/h", "public"],
  ["https://[2606:4700::1111]/h", "public"],
  ["ftp://hooks.example.com/h", "scheme"],
  ["hooks.example.com/h", "scheme"],
  ["", "scheme"],
  ["https://", "malformed"],
  ["https:///h", "malformed"],
  ["https:hooks.example.com/h", "malformed"],
  ["https://hooks.example.com\\@127.0.0.1/", "malformed"],
  ["https://a..example.com/h", "malformed"],
  ["https://hooks.example.com:99999/h", "malformed"],
  ["https://[::1/h", "malformed"],
  [`https://hooks.example.com/${"x".repeat(2048)}`, "malformed"],
  [`https://${"x".repeat(64)}.example.com/`, "malformed"],
  ["https://user:pw@hooks.example.com/h", "userinfo"],
  ["https://user@127.0.0.1/h", "userinfo"],
  ["https://hooks.example.com:22/h", "port"],
  ["https://hooks.example.com:80/h", "port"],
  ["https://hooks.example.com:8080/h", "port"],
  ["https://hooks.example.com/h#part", "fragment"],
  ["https://hooks.example.com/h#", "fragment"],
  ["https://hooks.example.com/cdn-cgi/trace", "own-host"],
  ["https://hooks.example.com/a/../CDN-CGI/trace", "own-host"],
  ["http://localhost/h", "loopback"],
  ["http://LOCALHOST./h", "loopback"],
  ["http://a.localhost/h", "loopback"],
  ["http://intranet/h", "single-label"],
  ["http://instance-data/latest", "special-name"],
  ["http://metadata.google.internal/", "special-name"],
  ["http://metadata.goog/", "special-name"],
  ["http://printer.local/h", "special-name"],
  ["http://router.home.arpa/h", "special-name"],
  ["http://x.1.0.0.127.in-addr.arpa/h", "special-name"],
  ["http://a.example/h", "special-name"],
  ["http://service.onion/h", "special-name"],
])("judges %j as %s", (url, expected) => {
  expect(classOf(url)).toBe(expected);
});

it.each([
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "127.1",
  "①②⑦.0.0.1",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "127.0.0.1.",
  "[::1]",
])("sees loopback however it is written: %s", (host) => {
  expect(classOf(`http://${host}/h`)).toBe("loopback");
});

it.each(["native", "hermes", "hermes-gateway", "clawdcode"] as const)("refuses http to hooks of %s", (dialect) => {
  expect(judgeUrl("http://hooks.example.com/h", hookUrlPolicy(dialect, DEPLOYED)).class).toBe("scheme");
});

it("refuses http to everybody when the operator says so", () => {
  expect(classOf("http://hooks.example.com/h", { ...DEPLOYED, requireHttps: true })).toBe("scheme");
});

it("takes the ports that the operator adds", () => {
  expect(classOf("https://hooks.example.com:9443/h", { ...DEPLOYED, extraPorts: [9443] })).toBe("public");
});

it("refuses hosts of our own, unless the operator lists their URL", () => {
  const ownHosts = ["agent.example.com", "*.zone.example.com", "*.me.workers.dev"];
  const settings = { ...DEPLOYED, ownHosts };
  expect(classOf("https://agent.example.com/h", settings)).toBe("own-host");
  expect(classOf("https://sub.agent.example.com/h", settings)).toBe("public");
  expect(classOf("https://zone.example.com/h", settings)).toBe("own-host");
  expect(classOf("https://a.b.ZONE.example.com./h", settings)).toBe("own-host");
  expect(classOf("https://other.me.workers.dev/h", settings)).toBe("own-host");
  const listed = { ...settings, allowedHookUrls: ["https://agent.example.com/hooks/*"] };
  expect(classOf("https://agent.example.com/hooks/a", listed)).toBe("public");
  expect(classOf("https://agent.example.com/admin", listed)).toBe("own-host");
});

it("calls nothing but what is on the operator's list, when there is one", () => {
  const allowedHookUrls = ["https://hooks.example.com/*", "https://*.ci.example.com/event?"];
  const settings = { ...DEPLOYED, allowedHookUrls };
  expect(classOf("https://hooks.example.com/a/b?c=d", settings)).toBe("public");
  expect(classOf("https://HOOKS.example.com./", settings)).toBe("public");
  expect(classOf("https://a.ci.example.com/event?", settings)).toBe("not-allowed");
  expect(classOf("https://hooks.example.com:8443/a", settings)).toBe("not-allowed");
  expect(classOf("http://hooks.example.com/a", settings)).toBe("not-allowed");
  expect(classOf("https://evil.example.net/https://hooks.example.com/", settings)).toBe("not-allowed");
  expect(classOf("https://hooks.example.com/a", { ...DEPLOYED, allowedHookUrls: [] })).toBe("not-allowed");
});

it("keeps what leads home refused, even when it is on the list", () => {
  const settings = { ...DEPLOYED, allowedHookUrls: ["*"] };
  expect(classOf("https://hooks.example.com/a", settings)).toBe("public");
  expect(classOf("https://127.0.0.1/a", settings)).toBe("loopback");
  expect(classOf("https://db.internal/a", settings)).toBe("special-name");
});

it("lets a developer's own receivers in, by host and port, and only on their machine", () => {
  const allowLocal = ["localhost:9000", "127.0.0.1:9001", "[::1]:9002", "169.254.169.254:80"];
  const local = { isLocal: true, allowLocal };
  expect(classOf("http://localhost:9000/h", local)).toBe("public");
  expect(classOf("http://127.1:9001/h", local)).toBe("public");
  expect(classOf("http://[::1]:9002/h", local)).toBe("public");
  expect(judgeUrl("http://127.0.0.1:9001/h", hookUrlPolicy("native", local)).class).toBe("public");
  expect(classOf("http://127.0.0.1:80/h", local)).toBe("loopback");
  expect(classOf("http://169.254.169.254:80/latest", local)).toBe("link-local-metadata");
  expect(classOf("http://user@127.0.0.1:9001/h", local)).toBe("userinfo");
  expect(classOf("http://127.0.0.1:9001/h", { isLocal: false, allowLocal })).toBe("port");
});

it("says which name is still to be resolved", () => {
  const policy = hookUrlPolicy("native", { isLocal: true, allowLocal: ["localhost:9000"] });
  expect(judgeUrl("https://HOOKS.example.com./h", policy)).toMatchObject({ resolve: "hooks.example.com" });
  expect(judgeUrl("https://8.8.8.8/h", policy)).not.toHaveProperty("resolve");
  expect(judgeUrl("http://localhost:9000/h", policy)).not.toHaveProperty("resolve");
});

it("keeps to the list of the hook's own file as well as to the operator's", () => {
  const policy = { ...hookUrlPolicy("claude", { ...DEPLOYED, allowedHookUrls: ["https://*.example.com/*"] }) };
  const limited = { ...policy, limitedTo: ["https://a.example.com/*", "https://c.example.net/*"] };
  expect(judgeUrl("https://a.example.com/h", limited).class).toBe("public");
  expect(judgeUrl("https://b.example.com/h", limited).class).toBe("not-allowed");
  expect(judgeUrl("https://c.example.net/h", limited).class).toBe("not-allowed");
});
