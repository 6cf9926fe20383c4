import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Files with settings beside wrangler.toml; as for wrangler, the first that exists is read. */
const SETTINGS_FILES = [".dev.vars", ".env"];

/** What the local Worker gets as its environment. */
export interface LocalSettings {
  readonly bindings: Readonly<Record<string, string>>;
  /** The admin token that Talaria made, when the operator set none. */
  readonly madeToken?: { readonly value: string; readonly file: string; readonly isNew: boolean };
}

/** Where settings come from, strongest first: the process environment, then the file. config.yaml is in the Worker. */
export interface SettingsSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isKnown: (name: string) => boolean;
  readonly root: string;
  readonly stateFolder: string;
}

/** Puts together the local Worker's environment. Empty values count as not set. */
export function readLocalSettings({ env, isKnown, root, stateFolder }: SettingsSources): LocalSettings {
  const fromEnvironment = Object.entries(env).filter(([name]) => isKnown(name));
  const given = Object.fromEntries(
    [...Object.entries(readSettingsFile(root)), ...fromEnvironment.filter(isSet)].filter(isSet),
  );
  const own = { ...given, TALARIA_LOCAL: "1" };
  if (given["ADMIN_TOKEN"] !== undefined) return { bindings: own };
  const madeToken = adminToken(join(stateFolder, "admin-token"));
  return { bindings: { ...own, ADMIN_TOKEN: madeToken.value }, madeToken };
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined && entry[1] !== "";
}

function readSettingsFile(root: string): Readonly<Record<string, string | undefined>> {
  for (const name of SETTINGS_FILES) {
    const text = readIfThere(join(root, name));
    if (text !== undefined) return parseEnv(text);
  }
  return {};
}

function adminToken(file: string): { readonly value: string; readonly file: string; readonly isNew: boolean } {
  const kept = readIfThere(file)?.trim();
  if (kept !== undefined && kept !== "") return { value: kept, file, isNew: false };
  const value = randomBytes(32).toString("base64url");
  writeFileSync(file, `${value}\n`, { mode: 0o600 });
  return { value, file, isNew: true };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // what readFileSync throws
    throw error;
  }
}
