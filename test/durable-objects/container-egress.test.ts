// Cloudflare's containers were not tried: the entrypoint that they hand their requests to is asked directly.
import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { configureProfile } from "./session-driver";

afterEach(() => {
  vi.restoreAllMocks();
});

it("lets what commands ask for out as it is, for as long as they may reach the internet", async () => {
  const profile = "container-egress-test";
  const asked: Request[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    asked.push(new Request(input, init));
    return new Response(null, { status: 302, headers: { location: "http://elsewhere.test/" } });
  });
  const egress = exports.ContainerEgress({ props: { profile } });
  const post = { method: "POST", headers: { authorization: "Bearer theirs" }, body: "{}", redirect: "manual" } as const;
  const answer = await egress.fetch("https://api.test/v1?a=b", post);
  expect(answer.status).toBe(302);
  expect(asked.map(({ url, method, redirect }) => [url, method, redirect])).toEqual([
    ["https://api.test/v1?a=b", "POST", "manual"],
  ]);
  expect(asked[0]?.headers.get("authorization")).toBe("Bearer theirs");
  await configureProfile(profile, { "terminal.internet": false });
  const refused = await egress.fetch("https://api.test/");
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("terminal.internet")]);
  expect(asked).toHaveLength(1);
});
