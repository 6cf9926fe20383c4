// Runs one of the project's TypeScript programs: `node scripts/run.mjs FILE [ARG...]`.
// Plain JavaScript without packages, because it must start on a fresh clone with whatever Node (>= 20) is there:
// it installs the locked dependencies when they are missing, then hands over to the Node that came with them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { STOP_SIGNALS, watchParent } from "./guard.mjs";
import { ROOT, ensureInstalled, privateNode } from "./install.mjs";

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node scripts/run.mjs FILE [ARG...]");
  process.exit(2);
}
await ensureInstalled();
const path = [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter);
// in our own process group: a program may have to ask a person something on the terminal
const child = spawn(privateNode(), [file, ...args], { stdio: "inherit", env: { ...process.env, PATH: path } });
for (const signal of STOP_SIGNALS) process.on(signal, () => child.kill(signal));
watchParent(() => child.kill("SIGTERM"));
const [code, signal] = await once(child, "exit");
process.exit(signal === null ? code : 1);
