// Runs acceptance cases: `npm run conformance -- FILE.json...`. Exits 1 when a case failed, 2 for a file it cannot read.
import { readFileSync } from "node:fs";
import type { CaseFile, Result, Suite } from "./result.ts";
import { resolveSourceImports } from "./resolve-source.ts";

resolveSourceImports();
const { suites } = (await import("./suites/registry.ts")) as { suites: readonly Suite[] };

const paths = process.argv.slice(2);
if (paths.length === 0) refuse("usage: npm run conformance -- FILE.json...");

const results: Result[] = [];
for (const path of paths) {
  const file = readCases(path);
  const suite = suites.find(({ suite }) => suite === file.meta.suite);
  if (suite === undefined) {
    const known = suites.map(({ suite }) => suite).join(", ");
    refuse(`${path}: there is no suite "${file.meta.suite}"; the suites are ${known}`);
  }
  results.push(...(await suite.run(file)));
}

const failures = results.filter((result) => !result.passed);
for (const { id, expected, got } of failures) console.log(`${id}: expected ${expected}, got ${got}`);
console.log(`${results.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function readCases(path: string): CaseFile {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as Partial<CaseFile>;
    if (typeof file?.meta?.suite !== "string") throw new Error("its meta.suite is missing");
    // the suite reads the rest as unknown
    return file as CaseFile;
  } catch (error) {
    return refuse(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
