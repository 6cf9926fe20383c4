// A deployment of the test's own: the sources as they are, with a plugin beside them, kept alive by the real supervisor.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "./runtime.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** What a Worker is built from. */
const PARTS = [
  "src",
  "workers",
  "durable-objects",
  "plugins",
  "web",
  "skills",
  "scripts",
  "sidecar",
  "config.yaml",
  "wrangler.toml",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** Milliseconds until a start counts as failed. */
const START_TIMEOUT_MS = 120_000;

export interface OwnDeployment {
  readonly url: string;
  readonly token: string;
  /** All that the supervisor and the Worker have said. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/** Deploys the sources with one more plugin, whose module exports `plugin`, and resolves when `/health` answers. */
export async function startOwnDeployment(pluginSource: string): Promise<OwnDeployment> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-own-"));
  const root = join(folder, "deployment");
  mkdirSync(join(root, "node_modules"), { recursive: true });
  for (const part of PARTS)
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  // entry by entry, so that nothing that clears the folder can reach what it stands for
  for (const name of readdirSync(join(ROOT, "node_modules")))
    symlinkSync(join(ROOT, "node_modules", name), join(root, "node_modules", name));
  mkdirSync(join(root, "plugins", "own"));
  writeFileSync(join(root, "plugins", "own", "plugin.ts"), pluginSource);
  writeFileSync(
    join(root, "plugins", "registry.ts"),
    'import { plugin } from "./own/plugin";\n\nexport const plugins = [plugin];\n',
  );
  const port = await freePort();
  const token = "own-deployment-token";
  const supervisor = pathToFileURL(join(root, "scripts", "supervise.ts")).href;
  const run = `const { supervise } = await import(${JSON.stringify(supervisor)}); await supervise();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", run], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: String(port),
      TALARIA_STATE: join(folder, "state"),
      ADMIN_TOKEN: token,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`the supervisor ended:\n${output}`);
    const health = await fetch(`${url}/health`).catch(() => undefined);
    await health?.arrayBuffer();
    if (health?.status === 200) return { url, token, output: () => output, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`not ready:\n${output}`);
}
