import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Loader, build, transform } from "esbuild";

/** A page as it is sent, and what it may run: the hashes that a Content-Security-Policy names its parts by. */
interface BuiltPage {
  readonly html: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** A part of a page, as the sources link it and as it is sent. */
interface Part {
  /** The element that links it; the first group is the file, beside the page. */
  readonly link: RegExp;
  readonly loader: Loader;
  readonly tags: readonly [string, string];
}

const SCRIPT: Part = {
  link: /<script type="module" src="([^":]+)"><\/script>/g,
  loader: "js",
  tags: ['<script type="module">', "</script>"],
};
const STYLE: Part = {
  link: /<link rel="stylesheet" href="([^":]+)" \/>/g,
  loader: "css",
  tags: ["<style>", "</style>"],
};

/** Pages in one module, each under its file's name without the ending. */
export async function bundlePages(paths: readonly string[]): Promise<string> {
  const pages = await Promise.all(paths.map(async (path) => [basename(path, ".html"), await buildPage(path)] as const));
  return `export const pages = ${JSON.stringify(Object.fromEntries(pages))};\n`;
}

/**
 * Builds a page, which links one script and one style of its folder. It is sent as one file that holds both, without
 * what only people need.
 */
export async function buildPage(path: string): Promise<BuiltPage> {
  const html = await readFile(path, "utf8");
  const [script, style] = await Promise.all([buildPart(html, path, SCRIPT), buildPart(html, path, STYLE)]);
  const markup = html.replace(script.written, "<script>").replace(style.written, "<style>").replaceAll(/\n\s+/g, "\n");
  return {
    html: markup.replace("<script>", () => script.sent).replace("<style>", () => style.sent),
    scriptHash: script.hash,
    styleHash: style.hash,
  };
}

async function buildPart(html: string, path: string, part: Part) {
  const [before, after] = part.tags;
  const linked = [...html.matchAll(part.link)].map(([written, file = ""]) => ({ written, file }));
  const held = [...html.matchAll(new RegExp(`${before}([^]*?)${after}`, "g"))].map(([written, code = ""]) => ({
    written,
    code,
  }));
  const [first, second] = [...linked, ...held];
  if (first === undefined || second !== undefined) throw new Error(`${basename(path)} has to have one ${before}.`);
  const code =
    "file" in first
      ? await bundle(join(dirname(path), first.file), dirname(path))
      : (await transform(first.code, { loader: part.loader, minify: true, charset: "utf8" })).code;
  if (code.includes(after)) throw new Error(`${basename(path)} has code that holds ${after}, which would end it.`);
  // source of the hash: https://www.w3.org/TR/CSP3/#match-element-to-source-list
  const hash = `sha256-${createHash("sha256").update(code).digest("base64")}`;
  return { written: first.written, sent: `${before}${code}${after}`, hash };
}

/** A file with all that it imports. That is of the folder: what is built is known by the files there. */
async function bundle(entry: string, folder: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    charset: "utf8",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const foreign = Object.keys(metafile.inputs).find((input) => !resolve(input).startsWith(`${resolve(folder)}${sep}`));
  if (foreign !== undefined) throw new Error(`${entry} imports ${foreign}, which is not of its folder.`);
  return outputFiles.map(({ text }) => text).join("");
}
