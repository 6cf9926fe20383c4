// Runs one of the project's TypeScript programs: `node scripts/run.mjs FILE [ARG...]`.
// Plain JavaScript without packages, because it must start on a fresh clone with whatever Node (>= 20) is there:
// it installs the locked dependencies when they are missing, then hands over to the Node that came with them.
import { spawnSync } from "node:child_process";
import { ensureInstalled, privateNode } from "./install.mjs";

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node scripts/run.mjs FILE [ARG...]");
  process.exit(2);
}
ensureInstalled();
const { status, signal } = spawnSync(privateNode(), [file, ...args], { stdio: "inherit" });
process.exit(signal ? 1 : (status ?? 1));
