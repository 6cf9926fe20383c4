import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join, matchesGlob, parse, sep } from "node:path";
import { text } from "node:stream/consumers";
import type { Json, V4ModuleDefinition, V4ModuleRule } from "miniflare";
import type { Unstable_MiniflareWorkerOptions } from "wrangler";

/** What the Worker is made of, beside the packages, which the lockfile stands for, and what builds its parts. */
const SOURCES = ["src", "workers", "durable-objects", "plugins", "web", "skills", "scripts"];
const SETTINGS = ["config.yaml", "wrangler.toml", "package.json", "package-lock.json", "tsconfig.json"];

/** What wrangler leaves beside the modules that it built. */
const NOT_MODULES = /^README\.md$|\.map$/;

/** A Worker bundled by wrangler as for a deployment, and how the local runtime is to load it. */
export interface BuiltWorker {
  readonly modulesRoot: string;
  /** The main module is the first. */
  readonly modules: readonly V4ModuleDefinition[];
  /** Miniflare's options for all that wrangler.toml says but the modules and variables. */
  readonly options: RuntimeOptions;
  /** `vars` of wrangler.toml. */
  readonly vars: Readonly<Record<string, Json>>;
}

type RuntimeOptions = Unstable_MiniflareWorkerOptions["workerOptions"];

interface Stamp {
  readonly fingerprint: string;
  readonly worker: BuiltWorker;
}

/**
 * Bundles the Worker into `folder`, or takes what an earlier start left there when no source has changed since: most of
 * a start's time is this.
 *
 * @throws Error with wrangler's words when the sources do not build.
 */
export async function buildWorker(root: string, folder: string): Promise<BuiltWorker> {
  const stamp = join(folder, "built.json");
  const fingerprint = fingerprintOf(root);
  const before = readStamp(stamp);
  if (before?.fingerprint === fingerprint && existsSync(before.worker.modulesRoot)) return before.worker;
  rmSync(folder, { recursive: true, force: true });
  const modulesRoot = join(folder, "worker");
  mkdirSync(modulesRoot, { recursive: true });
  const bundled = bundle(root, modulesRoot); // beside the next line, whose time is the loading of wrangler
  const described = describe(root);
  await bundled;
  const worker = { ...described, modulesRoot, modules: modulesIn(modulesRoot, described) };
  // the fingerprint is from before the build: a source saved during it makes the next start build again
  writeFileSync(`${stamp}.draft`, JSON.stringify({ fingerprint, worker } satisfies Stamp));
  renameSync(`${stamp}.draft`, stamp);
  return worker;
}

function readStamp(file: string): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Stamp; // written by buildWorker alone
  } catch {
    return undefined;
  }
}

/** Changes when any source is added, removed or saved. */
function fingerprintOf(root: string): string {
  const hash = createHash("sha256").update(root);
  for (const path of sourcePaths(root)) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function sourcePaths(root: string): readonly string[] {
  const folders = SOURCES.filter((name) => existsSync(join(root, name)));
  const files = folders.flatMap((name) => {
    const entries = readdirSync(join(root, name), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  });
  const sources = files.filter((path) => !path.split(sep).includes("dist")); // made from the others
  return [...sources, ...SETTINGS.filter((name) => existsSync(join(root, name)))].sort();
}

async function bundle(root: string, outFolder: string): Promise<void> {
  const cli = join(root, "node_modules", "wrangler", "wrangler-dist", "cli.js");
  const args = ["--no-warnings", cli, "deploy", "--env=", "--dry-run", "--outdir", outFolder];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", WRANGLER_WRITE_LOGS: "false" },
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`The Worker does not build:\n${errors}${output}`);
}

/** What wrangler.toml says, in Miniflare's words. */
function describe(root: string): Pick<BuiltWorker, "options" | "vars"> & { readonly main: string } {
  const wrangler = createRequire(import.meta.url)("wrangler") as typeof import("wrangler"); // 0.5 s: only when needed
  const config = wrangler.unstable_readConfig({ config: join(root, "wrangler.toml"), env: "" });
  const { workerOptions, main } = wrangler.unstable_getMiniflareWorkerOptions({ ...config, configPath: undefined });
  const { bindings: _fromFiles, ...options } = workerOptions;
  if (main === undefined || config.name === undefined) throw new Error("wrangler.toml must have a name and a main.");
  return { options: { ...options, name: config.name }, vars: config.vars as BuiltWorker["vars"], main }; // TOML holds nothing that JSON does not
}

function modulesIn(folder: string, { main, options }: ReturnType<typeof describe>): readonly V4ModuleDefinition[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_MODULES.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const mainModule = `${parse(main).name}.js`;
  const inOrder = [mainModule, ...names.filter((name) => name !== mainModule)];
  return inOrder.map((name) => ({ type: typeOf(name, options), path: join(folder, name) }));
}

/** Code is code; what anything else is, the rules of wrangler.toml say. */
function typeOf(name: string, options: RuntimeOptions): V4ModuleRule["type"] {
  if (/\.m?js$/.test(name)) return "ESModule";
  const rule = options.modulesRules?.find(({ include }) => include.some((glob) => matchesGlob(name, glob)));
  if (rule === undefined) throw new Error(`No rule in wrangler.toml says what kind of module ${name} is.`);
  return rule.type;
}
