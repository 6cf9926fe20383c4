import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const HAS_EXTENSION = /\.(?:[cm]?[jt]s|json|node)$/;
const IS_TEXT = /\.(?:yaml|html)$/;

/**
 * Lets Node load the sources as the bundler does: relative imports without an extension are TypeScript, and YAML and
 * HTML files are their text. Must be called before the first such import.
 */
export function resolveSourceImports(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const isOurs = specifier.startsWith(".") && context.parentURL?.includes("/node_modules/") === false;
      const needsExtension = isOurs && !HAS_EXTENSION.test(specifier) && !IS_TEXT.test(specifier);
      return nextResolve(needsExtension ? `${specifier}.ts` : specifier, context);
    },
    load(url, context, nextLoad) {
      if (!IS_TEXT.test(url)) return nextLoad(url, context);
      const text = readFileSync(fileURLToPath(url), "utf8");
      return { format: "module", shortCircuit: true, source: `export default ${JSON.stringify(text)};` };
    },
  });
}
