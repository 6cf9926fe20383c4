import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { build } from "esbuild";

/** A page as it is sent, and what it may run: the hashes that a Content-Security-Policy names its parts by. */
interface BuiltPage {
  readonly html: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** A part of a page, as the sources link it and as it is sent. */
interface Part {
  readonly name: string;
  /** Everything that is such a part, linked or not. */
  readonly elements: RegExp;
  /** The element that links it; the first group is the file, beside the page. */
  readonly link: RegExp;
  readonly tags: readonly [string, string];
}

const SCRIPT: Part = {
  name: "script",
  elements: /<script\b/g,
  link: /<script type="module" src="([^":]+)"><\/script>/,
  tags: ['<script type="module">', "</script>"],
};
const STYLE: Part = {
  name: "style",
  elements: /<style\b|<link rel="stylesheet"/g,
  link: /<link rel="stylesheet" href="([^":]+)" \/>/,
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
  const markup = html.replaceAll(/\n\s+/g, "\n");
  return {
    html: markup.replace(script.written, () => script.sent).replace(style.written, () => style.sent),
    scriptHash: script.hash,
    styleHash: style.hash,
  };
}

async function buildPart(html: string, path: string, { name, elements, link, tags: [before, after] }: Part) {
  const found = link.exec(html);
  if (found === null || html.match(elements)?.length !== 1)
    throw new Error(`${basename(path)} has to link one ${name} of its folder, and no other.`);
  const [written, file = ""] = found;
  const code = await bundle(join(dirname(path), file), dirname(path));
  // source of the hash: https://www.w3.org/TR/CSP3/#match-element-to-source-list
  const hash = `sha256-${createHash("sha256").update(code).digest("base64")}`;
  return { written, sent: `${before}${code}${after}`, hash };
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
  const ours = `${await realpath(folder)}${sep}`;
  const foreign = Object.keys(metafile.inputs).find((input) => !resolve(input).startsWith(ours));
  if (foreign !== undefined) throw new Error(`${entry} imports ${foreign}, which is not of its folder.`);
  return outputFiles.map(({ text }) => text).join("");
}
