import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Bytes, compressed as they are uploaded, of the modules that load when the Worker in `mainModule` starts. */
export async function startupGzipBytes(mainModule: string): Promise<number> {
  const folder = dirname(mainModule);
  // parsed, because code that the Worker carries as text has imports too
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [basename(mainModule)],
    bundle: true,
    format: "esm",
    external: ["node:*", "cloudflare:*"],
    loader: { ".yaml": "text" },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const loaded = new Set<string>();
  const waiting = [basename(mainModule)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    for (const { path: next, kind, external } of metafile.inputs[path]?.imports ?? [])
      if (kind === "import-statement" && external !== true) waiting.push(next);
  }
  return [...loaded].reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).byteLength, 0);
}
