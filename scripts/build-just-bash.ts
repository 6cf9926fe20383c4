import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = dirname(fileURLToPath(import.meta.url));

/** What esbuild takes for `just-bash/browser`. Not resolved: Vitest, which runs this too, cannot. */
const PACKAGE = join(SCRIPTS, "..", "node_modules", "just-bash", "dist", "bundle", "browser.js");

/** Beside its only importer, so that the import is the same path in the sources and in what wrangler uploads. */
const OUTPUT = join(SCRIPTS, "..", "src", "workspace", "dist", "just-bash.js");

/**
 * Builds just-bash as a module of its own, which the Worker loads on the first command and not at its start. Does
 * nothing when what is there was built from the same package by the same scripts.
 */
export async function buildJustBash(): Promise<void> {
  const stamp = `// ${fingerprint()}\n`;
  if (firstBytes(OUTPUT, stamp.length) === stamp) return;
  const [{ bundleJustBash }, { meterJavaScript }] = await Promise.all([
    import("./bundle-just-bash.ts"),
    import("./meter-javascript.ts"),
  ]);
  const metered = meterJavaScript(await bundleJustBash());
  mkdirSync(dirname(OUTPUT), { recursive: true });
  // two builds may run at once: the file is always whole
  const draft = `${OUTPUT}.${process.pid}`;
  writeFileSync(draft, stamp + metered);
  renameSync(draft, OUTPUT);
}

/** Vitest calls this before the tests, as a `globalSetup`. */
export function setup(): Promise<void> {
  return buildJustBash();
}

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const name of ["build-just-bash.ts", "bundle-just-bash.ts", "meter-javascript.ts"])
    hash.update(readFileSync(join(SCRIPTS, name)));
  return hash.update(readFileSync(PACKAGE)).digest("hex");
}

function firstBytes(path: string, count: number): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(count);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, count, 0));
  } finally {
    closeSync(file);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildJustBash();
