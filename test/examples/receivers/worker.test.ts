import { build } from "esbuild";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DENIED, SECRET, callReceiver } from "./signed-call.ts";

let miniflare: Miniflare;
let url: string;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ["examples/hooks/receivers/worker/worker.ts"],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      modules: true,
      script,
      compatibilityDate: "2026-10-15",
      name: "receiver",
      bindings: { HOOK_SECRET: SECRET },
      kvNamespaces: ["ANSWERS"],
    }),
  );
  url = (await miniflare.ready).href;
});
afterAll(() => miniflare.dispose());

it("refuses rm -rf, also when asked again, and has no opinion on other commands", async () => {
  for (const _ of [1, 2]) expect(JSON.parse((await callReceiver(url, "rm -fr build")).stdout)).toEqual(DENIED);
  expect(await callReceiver(url, "ls")).toMatchObject({ exit: 0, stdout: "", status: 204 });
});

it("remembers what it answered, by id and body", async () => {
  const answers = await miniflare.getKVNamespace("ANSWERS");
  const { keys } = await answers.list();
  expect(keys.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^evt_1:[0-9a-f]{64}$/),
    expect.stringMatching(/^evt_1:[0-9a-f]{64}$/),
  ]);
});

it("answers 401 to what is not signed, or signed with another secret", async () => {
  for (const secrets of [[], [`whsec_${btoa("x".repeat(32))}`]]) {
    const result = await callReceiver(url, "rm -rf /", { ports: { secretsOf: () => secrets } });
    expect(result).toMatchObject({ exit: 1, status: 401 });
  }
});
