import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { WORLD } from "./test/support/world-settings.ts";

/** Files that wrangler bundles as text. */
const textModules = {
  name: "text-modules",
  enforce: "pre" as const,
  resolveId(source: string, importer: string | undefined) {
    return source.endsWith(".yaml") && importer !== undefined
      ? `\0text:${resolve(dirname(importer), source)}.js`
      : undefined;
  },
  load(id: string) {
    return id.startsWith("\0text:")
      ? `export default ${JSON.stringify(readFileSync(id.slice("\0text:".length, -".js".length), "utf8"))};`
      : undefined;
  },
};

/** One file after the other: each starts processes, and some look at how soon those do something. */
const inNode = { testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false };

/**
 * Tests that start processes, browsers or servers run in Node, those that end and restart the whole system apart;
 * everything else runs in real workerd.
 */
export default defineConfig({
  test: {
    reporters: ["default"],
    projects: [
      {
        plugins: [
          textModules,
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              workerLoaders: { LOADER: {} },
              bindings: {
                ...WORLD,
                TALARIA_LOCAL: "1",
                FUZZ_RUNS: process.env["FUZZ_RUNS"] ?? "200",
                FUZZ_SEED: process.env["FUZZ_SEED"] ?? "20261121",
              },
            },
          }),
        ],
        test: {
          name: "workerd",
          include: [
            "test/{src,workers,durable-objects,plugins}/**/*.test.ts",
            "test/examples/{plugins,config}/**/*.test.ts",
          ],
          isolate: false,
          globalSetup: ["./scripts/build-late.ts"],
          setupFiles: ["./test/support/import-late-modules.ts", "./test/support/rest-sessions.ts"],
          // what has to end is tested to end: how fast depends on what else the machine does
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...inNode,
          name: "node",
          include: [
            "test/{scripts,rules,sidecar,browser}/**/*.test.ts",
            "test/examples/{receivers,commands}/**/*.test.ts",
          ],
        },
      },
      {
        test: { ...inNode, name: "system", include: ["test/e2e/**/*.test.ts"] },
      },
    ],
  },
});
