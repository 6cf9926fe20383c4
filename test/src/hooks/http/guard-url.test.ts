import { expect, it } from "vitest";
import { type GuardVerdict, guardUrl } from "#src/hooks/http/guard-url";
import { hookUrlPolicy } from "#src/hooks/http/judge-url";
import type { NameVerdict } from "#src/hooks/http/resolve-public";

async function guard(url: string, named: NameVerdict): Promise<{ verdict: GuardVerdict; asked: string[] }> {
  const asked: string[] = [];
  const verdict = await guardUrl(url, {
    policy: hookUrlPolicy("starchild", { isLocal: false }),
    resolvePublic: async (host, scope) => {
      asked.push(`${scope}: ${host}`);
      return named;
    },
    scope: "approval-1",
    signal: new AbortController().signal,
  });
  return { verdict, asked };
}

const PUBLIC: NameVerdict = { class: "public", addresses: ["93.184.216.34"] };

it("refuses a URL for its text without asking anybody", async () => {
  const { verdict, asked } = await guard("http://127.0.0.1/h", PUBLIC);
  expect(verdict).toEqual({ class: "loopback", stage: "parse" });
  expect(asked).toEqual([]);
});

it("refuses a URL for what its name resolves to", async () => {
  const { verdict, asked } = await guard("https://nx.example.com/h", { class: "dns-empty" });
  expect(verdict).toEqual({ class: "dns-empty", stage: "call" });
  expect(asked).toEqual(["approval-1: nx.example.com"]);
});

it("passes a public URL on as it was parsed", async () => {
  const { verdict } = await guard("https://HOOKS.example.com/a b", PUBLIC);
  expect(verdict).toMatchObject({ class: "public", addresses: ["93.184.216.34"] });
  expect(verdict).toHaveProperty("url.href", "https://hooks.example.com/a%20b");
});

it("asks nobody about an address", async () => {
  const { verdict, asked } = await guard("https://8.8.8.8/h", { class: "dns-error" });
  expect(verdict.class).toBe("public");
  expect(asked).toEqual([]);
});
