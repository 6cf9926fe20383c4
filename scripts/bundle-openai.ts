import { build } from "esbuild";

/** The `openai` SDK in one module that Workers can load. */
export async function bundleOpenAi(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { OpenAI } from "openai";`, resolveDir: import.meta.dirname },
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
