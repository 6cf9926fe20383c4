// `npm run deploy [-- FLAG...]`: wrangler deploy, with its flags, unless something would deploy the local mode.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findLocalMode } from "./find-local-mode.ts";
import { ROOT } from "./install.mjs";
import { withoutContainers } from "./without-containers.ts";

const flags = process.argv.slice(2);
const found = findLocalMode({ root: ROOT, env: process.env, flags });
if (found !== undefined) {
  console.error(
    `TALARIA_LOCAL is set in ${found}: it opens what is for development only, so it is never deployed. Remove it there.`,
  );
  process.exit(1);
}
const namesEnvironment = flags.some((flag) => /^(?:-e|--env)(?:=|$)/.test(flag));
// wrangler, a dry run included, ends without Docker where there is an image to build: all the rest can be deployed
const lacksDocker = namesEnvironment && !flags.some((flag) => /^(?:-c|--config)(?:=|$)/.test(flag)) && !hasDocker();
// beside the other, because paths in it are relative to it
const config = join(ROOT, "wrangler.without-containers.toml");
if (lacksDocker) {
  console.log(
    "No Docker here: deploying without the container for commands. Terminals stay virtual or use SIDECAR_URL.",
  );
  writeFileSync(config, withoutContainers(readFileSync(join(ROOT, "wrangler.toml"), "utf8")));
}
const cli = join(ROOT, "node_modules", "wrangler", "wrangler-dist", "cli.js");
const child = spawn(
  process.execPath,
  [
    "--no-warnings",
    cli,
    "deploy",
    ...(namesEnvironment ? [] : ["--env="]),
    ...(lacksDocker ? ["--config", config] : []),
    ...flags,
  ],
  {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  },
);
const [code] = await once(child, "exit");
if (lacksDocker) rmSync(config);
process.exit(typeof code === "number" ? code : 1);

/** Whether an engine answers, as wrangler asks for it. */
function hasDocker(): boolean {
  return spawnSync(process.env["WRANGLER_DOCKER_BIN"] ?? "docker", ["info"], { stdio: "ignore" }).status === 0;
}
