import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Report } from "./main.ts";

const GOAL_KIB = 500;
const ROOT = join(import.meta.dirname, "..");

/** What is uploaded, and how much of it loads at the start. */
export async function size(report: Report): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "talaria-size-"));
  execFileSync(
    process.execPath,
    [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), "deploy", "--dry-run", "--minify", "--outdir", out],
    { cwd: ROOT, stdio: "ignore" },
  );
  const kib = (file: string): number => Math.round((gzipSync(readFileSync(join(out, file))).length / 1024) * 10) / 10;
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(js|mjs|html|yaml|wasm)$/.test(file),
  );
  const main = files.filter((file) => !file.includes("just-bash"));
  const start = main.reduce((sum, file) => sum + kib(file), 0);
  report({
    name: "upload_gzip_kib_at_start",
    value: Math.round(start * 10) / 10,
    files: Object.fromEntries(main.map((file) => [file, kib(file)])),
    goal: `<= ${GOAL_KIB}`,
    reached: start <= GOAL_KIB,
  });
  for (const file of files.filter((name) => name.includes("just-bash")))
    report({ name: "upload_gzip_kib_lazy", file, value: kib(file) });
}
