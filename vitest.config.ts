import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Tests that start processes, browsers or servers run in Node; everything else runs in real workerd. */
export default defineConfig({
  test: {
    reporters: ["default"],
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { TALARIA_LOCAL: "1" } },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/{src,workers,durable-objects,plugins}/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        test: {
          name: "node",
          include: ["test/{e2e,scripts,browser,rules}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
