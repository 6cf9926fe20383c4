import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type Loader, transform } from "esbuild";

/** A page as it is sent, and what it may run: the hashes that a Content-Security-Policy names its parts by. */
interface BuiltPage {
  readonly html: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** Pages in one module, each under its file's name without the ending. */
export async function bundlePages(paths: readonly string[]): Promise<string> {
  const pages = await Promise.all(paths.map(async (path) => [basename(path, ".html"), await readPage(path)] as const));
  return `export const pages = ${JSON.stringify(Object.fromEntries(pages))};\n`;
}

/** Reads a page, which has one script and one style, both in its file: they are sent without what only people need. */
async function readPage(path: string): Promise<BuiltPage> {
  const html = await readFile(path, "utf8");
  const [script, style] = await Promise.all([partOf(html, "script", "js"), partOf(html, "style", "css")]);
  const markup = html.replace(script.written, "").replace(style.written, "").replaceAll(/\n\s+/g, "\n");
  return {
    html: markup
      .replace("</script>", () => `${script.sent}</script>`)
      .replace("</style>", () => `${style.sent}</style>`),
    scriptHash: script.hash,
    styleHash: style.hash,
  };
}

/** Source of the hash: https://www.w3.org/TR/CSP3/#match-element-to-source-list */
async function partOf(html: string, tag: string, loader: Loader) {
  const [first, second] = [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, "g"))];
  if (first === undefined || second !== undefined) throw new Error(`A page has one <${tag}>.`);
  const [, written = ""] = first;
  const { code } = await transform(written, { loader, minify: true, charset: "utf8" });
  return { written, sent: code, hash: `sha256-${createHash("sha256").update(code).digest("base64")}` };
}
