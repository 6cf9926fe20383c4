import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** A page as it is sent, and what it may run: the hashes that a Content-Security-Policy names its parts by. */
interface BuiltPage {
  readonly html: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** Pages in one module, each under its file's name without the ending. */
export function bundlePages(paths: readonly string[]): string {
  const pages = Object.fromEntries(paths.map((path) => [basename(path, ".html"), readPage(path)]));
  return `export const pages = ${JSON.stringify(pages)};\n`;
}

/** Reads a page, which has one script and one style, both in its file. */
function readPage(path: string): BuiltPage {
  const html = readFileSync(path, "utf8");
  return { html, scriptHash: hashOf("script", html), styleHash: hashOf("style", html) };
}

/** Source: https://www.w3.org/TR/CSP3/#match-element-to-source-list */
function hashOf(tag: string, html: string): string {
  const [first, second] = [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, "g"))];
  if (first === undefined || second !== undefined) throw new Error(`A page has one <${tag}>.`);
  return `sha256-${createHash("sha256")
    .update(first[1] ?? "")
    .digest("base64")}`;
}
