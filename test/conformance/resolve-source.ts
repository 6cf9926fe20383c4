import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const HAS_EXTENSION = /\.(?:[cm]?[jt]s|json|node)$/;
const IS_TEXT = /\.yaml$/;
const IS_JSON = /\.json$/;
const RUNTIME = new URL("./cloudflare-workers.ts", import.meta.url).href;

/**
 * Loads sources in Node as the bundler does: relative imports without an extension are TypeScript, YAML files
 * are their text, JSON needs no attribute, and the runtime's own module is a stand-in. Must be called before the first
 * such import.
 */
export function resolveSourceImports(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === "cloudflare:workers") return { url: RUNTIME, shortCircuit: true };
      const isOurs = specifier.startsWith(".") && !isPackage(context.parentURL ?? "/node_modules/");
      const needsExtension = isOurs && !HAS_EXTENSION.test(specifier) && !IS_TEXT.test(specifier);
      return nextResolve(needsExtension ? `${specifier}.ts` : specifier, context);
    },
    load(url, context, nextLoad) {
      if (isPackage(url) || !(IS_TEXT.test(url) || IS_JSON.test(url))) return nextLoad(url, context);
      const text = readFileSync(fileURLToPath(url), "utf8");
      const value = IS_JSON.test(url) ? text : JSON.stringify(text);
      return { format: "module", shortCircuit: true, source: `export default ${value};` };
    },
  });
}

function isPackage(url: string): boolean {
  return url.includes("/node_modules/");
}
