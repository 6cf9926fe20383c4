import { build } from "esbuild";

/** A part of a vendor's SDK in one module that Workers can load. `contents`: what it exports, and from where. */
export async function bundleSdk(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker"],
    target: "es2024",
    minify: true,
    legalComments: "inline",
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
