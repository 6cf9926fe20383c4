import { build } from "esbuild";

/** Stands in for `node:zlib`, which Workers have only with Node compatibility: the shell has its own gzip commands. */
const NO_ZLIB = `
const unavailable = () => { throw new Error("compressed input is not supported here"); };
export const constants = {};
export { unavailable as gunzipSync, unavailable as gzipSync };
`;

/** Stands in for the library behind `html-to-markdown`, which needs a DOM. */
const NO_TURNDOWN = `export default class { constructor() { throw new Error("html-to-markdown is not supported here"); } }`;

const STAND_INS: Readonly<Record<string, string>> = { "node:zlib": NO_ZLIB, turndown: NO_TURNDOWN };

/** just-bash's browser build with all that it imports, in one module that Workers can load. */
export async function bundleJustBash(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { Bash } from "just-bash/browser";`, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    minify: true,
    legalComments: "inline",
    write: false,
    logLevel: "warning",
    plugins: [
      {
        name: "stand-ins",
        setup(plugin) {
          plugin.onResolve({ filter: /^(node:zlib|turndown)$/ }, ({ path }) => ({ path, namespace: "stand-in" }));
          plugin.onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path }) => ({ contents: STAND_INS[path] ?? "" }));
        },
      },
    ],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild built nothing");
  return file.text;
}
