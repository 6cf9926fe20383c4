import { expect, it } from "vitest";
import { identifyHook } from "#src/hooks/config-digest";
import { aHook, httpTarget } from "../../support/hook-fixtures";

it("names a hook by what it reaches", async () => {
  const targets = [
    aHook({ target: httpTarget({ url: "https://G.example.com" }) }),
    aHook({ target: { type: "module", module: "guard" } }),
    aHook({ target: { type: "command", command: "~/h.sh", argv: ["~/h.sh"] } }),
  ];
  const named = await Promise.all(targets.map(async (hook) => (await identifyHook(hook)).target));
  expect(named).toEqual(["POST https://g.example.com/", "module guard", "~/h.sh"]);
  const prompt = await identifyHook(aHook({ target: { type: "prompt", prompt: "Is it safe?" } }));
  expect(prompt.target).toMatch(/^prompt [0-9a-f]{64}$/);
});

it("has the same digest for the same definition, whatever it is called and wherever it stands", async () => {
  const hook = aHook({ matcher: { tool: "terminal", path: "*" } });
  const moved = aHook({ matcher: { path: "*", tool: "terminal" }, name: "other", source: "api" });
  expect((await identifyHook(moved)).digest).toBe((await identifyHook(hook)).digest);
  expect((await identifyHook(hook)).digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it.each([
  ["matcher", { matcher: "x" }],
  ["event", { nativeEvent: "tool.post" }],
  ["time-out", { timeoutMs: 1 }],
  ["failure policy", { onError: "deny" as const }],
  ["observing", { observe: true }],
  ["priority", { priority: 1 }],
  ["headers", { target: httpTarget({ headers: { "x-a": "${secret:KEY}" } }) }],
  ["secrets", { target: httpTarget({ allowedSecrets: ["KEY"] }) }],
  ["blocking statuses", { target: httpTarget({ blockStatuses: [403] }) }],
  ["address", { target: httpTarget({ url: "https://evil.example.com/" }) }],
])("has another digest when the %s changes", async (_what, change) => {
  const before = await identifyHook(aHook({ target: httpTarget() }));
  const after = await identifyHook(aHook({ target: httpTarget(), ...change }));
  expect(after.digest).not.toBe(before.digest);
});

it("does not put a header's value into the digest, only the secret it draws on", async () => {
  const withValue = (value: string) => identifyHook(aHook({ target: httpTarget({ headers: { "x-a": value } }) }));
  expect((await withValue("plain")).digest).toBe((await withValue("other")).digest);
  expect((await withValue("${secret:A}")).digest).not.toBe((await withValue("${secret:B}")).digest);
});
