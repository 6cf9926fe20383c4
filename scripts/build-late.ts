import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = dirname(fileURLToPath(import.meta.url));

/** What esbuild takes for `just-bash/browser`. Not resolved: Vitest, which runs this too, cannot. */
const PACKAGE = join(SCRIPTS, "..", "node_modules", "just-bash", "dist", "bundle", "browser.js");

/** Pages that people open, with all that they are made of. */
const WEB = join(SCRIPTS, "..", "web");
const PAGES = ["index.html", "hooks.html"].map((name) => join(WEB, name));

/** Parts of vendors' SDKs: where each is told from its next version, and what is taken of it. */
const SDKS = [
  { name: "openai.js", from: "openai", contents: 'export { OpenAI } from "openai";' },
  // the client without its resources is a tenth of the package
  {
    name: "anthropic.js",
    from: "@anthropic-ai/sdk",
    contents: 'export { BaseAnthropic } from "@anthropic-ai/sdk/client";',
  },
];

/** Beside their only importers, so that an import is the same path in the sources and in what wrangler uploads. */
const DIST = join(SCRIPTS, "..", "src", "late", "dist");

/**
 * Builds what the Worker loads when it is first needed and not at its start, each as a module of its own. Does nothing
 * for what was built from the same files by the same scripts.
 */
export async function buildLate(): Promise<void> {
  await Promise.all([
    keep("just-bash.js", fingerprint([PACKAGE], "bundle-just-bash.ts", "meter-javascript.ts"), async () => {
      const { bundleJustBash } = await import("./bundle-just-bash.ts");
      const { meterJavaScript } = await import("./meter-javascript.ts");
      return meterJavaScript(await bundleJustBash());
    }),
    ...SDKS.map(({ name, from, contents }) => {
      const version = join(SCRIPTS, "..", "node_modules", from, "package.json");
      return keep(name, fingerprint([version], "bundle-sdk.ts"), async () =>
        (await import("./bundle-sdk.ts")).bundleSdk(contents),
      );
    }),
    keep("pages.js", fingerprint(filesBelow(WEB), "bundle-pages.ts"), async () =>
      (await import("./bundle-pages.ts")).bundlePages(PAGES),
    ),
  ]);
}

async function keep(name: string, mark: string, bundle: () => Promise<string>): Promise<void> {
  const output = join(DIST, name);
  const stamp = `// ${mark}\n`;
  if (firstBytes(output, stamp.length) === stamp) return;
  const text = await bundle();
  mkdirSync(dirname(output), { recursive: true });
  // two builds may run at once: the file is always whole
  const draft = `${output}.${process.pid}`;
  writeFileSync(draft, stamp + text);
  renameSync(draft, output);
}

/** Vitest calls this before the tests, as a `globalSetup`. */
export function setup(): Promise<void> {
  return buildLate();
}

function fingerprint(from: readonly string[], ...scripts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const name of ["build-late.ts", ...scripts]) hash.update(readFileSync(join(SCRIPTS, name)));
  for (const path of from) hash.update(readFileSync(path));
  return hash.digest("hex");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildLate();
