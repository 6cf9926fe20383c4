import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { buildPage, bundlePages } from "../../scripts/bundle-pages.ts";

const SCRIPT = '<script type="module" src="page/main.ts"></script>';
const STYLE = '<link rel="stylesheet" href="page/page.css" />';

/** Writes a page and what it is made of, and gives its path. */
function writePage(html: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "talaria-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = {
    "site/start.html": html,
    "site/page/main.ts":
      'import { name } from "../shared/name";\nconst said: string = `$& is ${name}`;\nalert(said);\n',
    "site/shared/name.ts": 'export const name: string = "Tala";\n',
    "site/page/page.css": '@import "../shared/colours.css";\nbody {\n  color: var(--ink);\n}\n',
    "site/shared/colours.css": ":root {\n  --ink: #123456;\n}\n",
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, "site/start.html");
}

const hashOf = (text = ""): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

it("sends a page as one file that holds its script and style, and names them by their hashes", async () => {
  const { html, scriptHash, styleHash } = await buildPage(writePage(`<head>\n  ${STYLE}\n</head>\n${SCRIPT}\n`));
  const [, style] = /<style>([^]*)<\/style>/.exec(html) ?? [];
  const [, script] = /<script type="module">([^]*)<\/script>/.exec(html) ?? [];
  expect(style).toMatch(/^:root\{--ink: ?#123456\}body\{color:var\(--ink\)\}/);
  expect(script).toContain("$& is ");
  expect(script).toContain("Tala");
  expect(script).not.toMatch(/import|string/);
  expect([scriptHash, styleHash]).toEqual([hashOf(script), hashOf(style)]);
  expect(html).not.toMatch(/href=|src=|\n\s/);
});

it("puts each page under the name of its file", async () => {
  const { pages } = (await import(
    `data:text/javascript,${encodeURIComponent(await bundlePages([writePage(STYLE + SCRIPT)]))}`
  )) as { pages: Record<string, { html: string }> };
  expect(Object.keys(pages)).toEqual(["start"]);
});

it.each([
  ["no style", SCRIPT, /start\.html has to link one style/],
  ["two scripts", STYLE + SCRIPT + SCRIPT, /start\.html has to link one script/],
  [
    "a script that comes from elsewhere",
    `${STYLE}${SCRIPT}<script src="https://example.com/x.js"></script>`,
    /one script/,
  ],
  ["a style of its own", `${STYLE}<style>a{}</style>${SCRIPT}`, /start\.html has to link one style/],
])("refuses a page with %s", async (_what, html, words) => {
  await expect(buildPage(writePage(html))).rejects.toThrow(words);
});

it("lets no text in the code end the element that holds it", async () => {
  const files = {
    "site/page/page.css": 'a::before {\n  content: "</style>";\n}\n',
    "site/page/main.ts": 'alert("</script>");\n',
  };
  const { html, scriptHash, styleHash } = await buildPage(writePage(STYLE + SCRIPT, files));
  const [, style] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  const [, script] = /<script type="module">([^]*?)<\/script>/.exec(html) ?? [];
  expect([scriptHash, styleHash]).toEqual([hashOf(script), hashOf(style)]);
});

it("refuses an import from outside of the pages' folder, which no fingerprint would know of", async () => {
  const files = {
    "site/page/main.ts": 'import { far } from "../../far";\nalert(far);\n',
    "far.ts": "export const far = 1;",
  };
  await expect(buildPage(writePage(STYLE + SCRIPT, files))).rejects.toThrow(/far\.ts, which is not of its folder/);
});
