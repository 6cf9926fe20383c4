// `npm run deploy [-- FLAG...]`: wrangler deploy, with its flags, unless something would deploy the local mode.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findLocalMode } from "./find-local-mode.ts";
import { ROOT } from "./install.mjs";

const flags = process.argv.slice(2);
const found = findLocalMode({ root: ROOT, env: process.env, flags });
if (found !== undefined) {
  console.error(
    `TALARIA_LOCAL is set in ${found}: it opens what is for development only, so it is never deployed. Remove it there.`,
  );
  process.exit(1);
}
const namesEnvironment = flags.some((flag) => /^(?:-e|--env)(?:=|$)/.test(flag));
const cli = join(ROOT, "node_modules", "wrangler", "wrangler-dist", "cli.js");
const child = spawn(
  process.execPath,
  ["--no-warnings", cli, "deploy", ...(namesEnvironment ? [] : ["--env="]), ...flags],
  {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  },
);
const [code] = await once(child, "exit");
process.exit(typeof code === "number" ? code : 1);
