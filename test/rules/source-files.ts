import { readFileSync, readdirSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/** The repository's folder. */
const ROOT = join(import.meta.dirname, "../..");

/** What is installed, built or run here, and never committed. */
const NOT_OURS = new Set(["node_modules", ".git", ".talaria", ".wrangler", "dist"]);

/** A file of the repository; the path is from its root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An import as it stands in a file, and what it means: a file's path without extension, or a package's name. */
export interface SourceImport {
  readonly specifier: string;
  readonly target: string;
  readonly isPackage: boolean;
}

/** Every text file of the repository, below these folders; all when none is given. */
export function readSourceFiles(...folders: readonly string[]): readonly SourceFile[] {
  return walk(ROOT)
    .map((path) => relative(ROOT, path).split(sep).join("/"))
    .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** Static and dynamic imports and re-exports, types too: who knows a type depends on where it lives. */
export function importsOf({ path, text }: SourceFile): readonly SourceImport[] {
  const imports = text.matchAll(/^import\s+(?:[\w\s{},*$]+\sfrom\s+)?["']([^"']+)["']/gm);
  const exports = text.matchAll(/^export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s+from\s+["']([^"']+)["']/gm);
  const calls = text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g);
  return [...imports, ...exports, ...calls].map(([, specifier = ""]) => resolveImport(path, specifier));
}

function resolveImport(importer: string, specifier: string): SourceImport {
  if (specifier.startsWith("#")) return { specifier, target: specifier.slice(1), isPackage: false };
  if (!specifier.startsWith(".")) return { specifier, target: specifier, isPackage: true };
  return { specifier, target: posix.join(posix.dirname(importer), specifier), isPackage: false };
}
