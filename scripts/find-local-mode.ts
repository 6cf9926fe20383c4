import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Files of the repository's folder in which a user can set something for the Worker. */
const SETTINGS_FILE = /^(?:\.dev\.vars.*|\.env.*|wrangler\.toml|config\.yaml)$/;

/** Everything that a deployment could take a setting from. */
export interface DeploymentSources {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly string[];
}

/** Where `TALARIA_LOCAL`, which only `npm start` may set, is set all the same; undefined when nowhere. */
export function findLocalMode({ root, env, flags }: DeploymentSources): string | undefined {
  if (env["TALARIA_LOCAL"] !== undefined) return "the environment";
  if (flags.some((flag) => flag.includes("TALARIA_LOCAL"))) return "the command line";
  const files = readdirSync(root).filter((name) => SETTINGS_FILE.test(name));
  return files.find((name) => setsLocalMode(readFileSync(join(root, name), "utf8")));
}

/** Any mention counts, save in a comment: a format that can hide it is one that this would have to understand. */
function setsLocalMode(text: string): boolean {
  return text.split("\n").some((line) => /^[^#]*TALARIA_LOCAL/.test(line));
}
