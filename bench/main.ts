// The benchmark suite: `npm run bench [-- NAME...]`. One JSON object a line; every figure in the docs comes from here.
import { gate } from "./gate.ts";
import { growth } from "./growth.ts";
import { kills } from "./kills.ts";
import { rows } from "./rows.ts";
import { sidecar } from "./sidecar.ts";
import { size } from "./size.ts";
import { hooks, turns } from "./turns.ts";

/** A line of output: what was measured, and whether it reaches what design asks for. */
export type Report = (line: { readonly name: string } & Readonly<Record<string, unknown>>) => void;

const suites: Readonly<Record<string, (report: Report) => Promise<void>>> = {
  turns,
  hooks,
  gate,
  growth,
  rows,
  size,
  sidecar,
  kills,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(", ")}; there are ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(suites)) {
  if (wanted.length === 0 || wanted.includes(name)) await run((line) => console.log(JSON.stringify(line)));
}
