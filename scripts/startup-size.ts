import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** A module of the built Worker that another one needs before it can run; `import()` does not count. */
const STATIC_IMPORT = /^(?:import|export)\b[^;("']*["'](\.[^"']+)["']/gm;

/** Bytes, compressed as they are uploaded, of the modules that load when the Worker in `mainModule` starts. */
export function startupGzipBytes(mainModule: string): number {
  const loaded = new Set<string>();
  const waiting = [mainModule];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    if (!/\.m?js$/.test(path)) continue;
    const folder = dirname(path);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(STATIC_IMPORT))
      waiting.push(join(folder, specifier));
  }
  return [...loaded].reduce((sum, path) => sum + gzipSync(readFileSync(path)).byteLength, 0);
}
