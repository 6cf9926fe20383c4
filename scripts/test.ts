// `npm test`: everything. `npm run check`: the quick part of it. The last line is `N passed, M failed`.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ENV_TYPES_FILE, generateEnvTypes } from "./env-types.ts";
import { STOP_SIGNALS } from "./guard.mjs";
import { ROOT } from "./install.mjs";
import { type TestStep, conformanceStep, toolStep, vitestStep } from "./test-step.ts";

/** Tests that start no system of their own. */
const QUICK_TESTS = [
  "test/src/",
  "test/workers/",
  "test/durable-objects/",
  "test/plugins/",
  "test/scripts/",
  "test/rules/",
];

/** Cases of this repository, and those of a collection beside it that are kept to so far. */
const CASE_FOLDERS = [
  "test/conformance/cases",
  "../shared/cases/split",
  "../shared/cases/parallel",
  "../shared/cases/toolpairs",
  "../shared/cases/approvals",
  "../shared/cases/errors",
  "../shared/cases/hooks",
  "../shared/cases/redact",
  "../shared/cases/ssrf",
  "../shared/cases/threats",
  "../shared/cases/platforms/telegram.json",
  "../shared/cases/platforms/slack.json",
  "../shared/cases/platforms/webhook.json",
  "../shared/cases/platforms/openai_api.json",
];

const STATIC_STEPS: readonly TestStep[] = [
  { name: "worker-env.d.ts", run: checkEnvTypes },
  toolStep("format", "oxfmt", ["--check"]),
  toolStep("lint", "oxlint", ["--type-aware"]),
  toolStep("types of the Worker", "tsc", ["-p", "."]),
  toolStep("types of its tests", "tsc", ["-p", "test"]),
  toolStep("types of the scripts", "tsc", ["-p", "tsconfig.node.json"]),
  toolStep("types of the pages", "tsc", ["-p", "web"]),
  toolStep("types of the browser tests", "tsc", ["-p", "test/browser"]),
  toolStep("types of the sidecar", "tsc", ["-p", "sidecar"]),
  toolStep("dead code", "knip", []),
];

const isQuick = process.argv[2] === "check";
const cases = CASE_FOLDERS.flatMap((path) => jsonFilesIn(join(ROOT, path)));
const filters = isQuick ? QUICK_TESTS : [];
/**
 * One after the other; those of one list at once: a Worker has one thread, and leaves a processor to the others. What
 * ends the system and starts it again looks at how soon things happen, so it runs alone.
 */
const steps: readonly (readonly TestStep[])[] = [
  ...STATIC_STEPS.map((step) => [step]),
  [vitestStep("workerd", filters), vitestStep("node", filters)],
  ...(isQuick ? [] : [[vitestStep("system", filters)]]),
  ...(isQuick || cases.length === 0 ? [] : [[conformanceStep(cases)]]),
];

const stopping = new AbortController();
for (const signal of STOP_SIGNALS) process.on(signal, () => stopping.abort());
process.chdir(ROOT);
const total = { passed: 0, failed: 0 };
const lines: string[] = [];
for (const together of steps) {
  if (stopping.signal.aborted) break;
  await Promise.all(together.map(take));
}
if (total.failed > 0) console.log(`\n${lines.join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && !stopping.signal.aborted ? 0 : 1;

async function take(step: TestStep): Promise<void> {
  const startedAt = performance.now();
  const { passed, failed } = await step.run(stopping.signal);
  total.passed += passed;
  total.failed += failed;
  const line = `${failed === 0 ? "✓" : "✗"} ${step.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`;
  lines.push(line);
  console.log(line);
}

async function checkEnvTypes(): ReturnType<TestStep["run"]> {
  if (readFileSync(ENV_TYPES_FILE, "utf8") === (await generateEnvTypes())) return { passed: 1, failed: 0 };
  console.log("worker-env.d.ts is not what wrangler.toml says: npm run types");
  return { passed: 0, failed: 1 };
}

function jsonFilesIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (path.endsWith(".json")) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".json")).map((name) => join(path, name));
}
