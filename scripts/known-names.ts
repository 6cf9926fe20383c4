import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders and files whose text says which settings Talaria reads. */
const SOURCES = ["src", "workers", "durable-objects", "plugins", "config.yaml"];

/** A name of the environment where code reads or describes one: quoted, or a property of `env`. */
const MENTIONED = /(?:["'`]|\benv\.|\$\{)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g;

/** Names that the code puts together from a platform's name. */
const COMPOSED = /^[A-Z][A-Z0-9_]*_(?:ALLOWED_USERS|ALLOW_ALL_USERS|API_BASE)$/;

/** Names of one word, and families of which a user may bring any member. */
const ALWAYS = /^(?:MODEL$|SIDECAR(?:_|$)|TALARIA_|OPENAI_|ANTHROPIC_|OPENROUTER_|GATEWAY_|HOOKS_)/;

/** What only the local runner may say, whatever stands in the environment. */
const NEVER = new Set(["TALARIA_LOCAL", "TALARIA_STATE"]);

/**
 * Tells whether a name in the process environment is a setting of Talaria's. Everything else there is none of the
 * Worker's business. Read from the sources, so that a new platform or provider needs no list of its names here.
 */
export function knownNames(root: string): (name: string) => boolean {
  const mentioned = new Set(SOURCES.flatMap((path) => readTexts(join(root, path))).flatMap(mentionedNames));
  return (name) => !NEVER.has(name) && (mentioned.has(name) || ALWAYS.test(name) || COMPOSED.test(name));
}

/** The names that a source text mentions. */
export function mentionedNames(text: string): readonly string[] {
  return [...text.matchAll(MENTIONED)].flatMap(([, name]) => name ?? []);
}

function readTexts(path: string): readonly string[] {
  try {
    if (/\.(?:ts|yaml)$/.test(path)) return [readFileSync(path, "utf8")];
    const names = readdirSync(path, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".ts")).map((name) => readFileSync(join(path, name), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // a folder that this version has no use for
    throw error;
  }
}
