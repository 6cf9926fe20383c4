// `npm start`. Plain JavaScript without packages, because it must start on a fresh clone with whatever Node (>= 20) is
// there: it installs the locked dependencies when they are missing and goes on in TypeScript, under the Node that came
// with them where this one cannot read it.
import { fileURLToPath } from "node:url";
import { runGuarded } from "./guard.mjs";
import { ensureInstalled, privateNode } from "./install.mjs";

await ensureInstalled();
if (process.features.typescript) {
  const { supervise } = await import("./supervise.ts");
  await supervise();
} else {
  process.exit(await runGuarded(privateNode(), [fileURLToPath(import.meta.url)], { stdio: "inherit" }));
}
