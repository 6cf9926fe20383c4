import * as z from "zod";
import { type ConfigProblem, describeValue, didYouMean } from "./problem";
import { isYamlMap, readYaml, type YamlMap } from "./read-yaml";
import { type Config, configSchema } from "./schema";
import { allPaths, keysAt, schemaAt } from "./schema-path";
import { checkSetting } from "./setting-path";

export type { Config } from "./schema";
export type { ConfigProblem } from "./problem";

/** Problems told at the most: one mistake at the top of a large file should not fill the log. */
const MAX_PROBLEMS = 30;
/** Sections that are read by others, who expect what JSON would hold. */
const OTHERS: ReadonlySet<string> = new Set(["hooks", "plugins"]);
/** Rounds of leaving out what is wrong; the first finds all of it, but for what it hid. */
const MAX_ROUNDS = 5;

/**
 * Reads config.yaml. Whatever is wrong in it is told and left out, and the default of that setting alone holds. Never
 * throws.
 */
export function loadConfig(yamlText: string): { readonly config: Config; readonly problems: readonly ConfigProblem[] } {
  const { tree, problems } = readYaml(yamlText, ([section]) => OTHERS.has(section ?? ""));
  const found: ConfigProblem[] = [...problems];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = configSchema().safeParse(tree);
    if (result.success) return { config: result.data, problems: found.slice(0, MAX_PROBLEMS) };
    for (const issue of result.error.issues) found.push(...leaveOut(issue, tree, found.length >= MAX_PROBLEMS));
  }
  found.unshift({ path: "the whole file", message: "it cannot be made sense of. All defaults hold." });
  return { config: configSchema().parse({}), problems: found.slice(0, MAX_PROBLEMS) };
}

/** What is wrong with settings made at run time, by config path; `null` unsets one. */
export function checkRuntimeSettings(changes: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  return Object.entries(changes)
    .slice(0, MAX_PROBLEMS)
    .flatMap(([path, value]) => {
      // what is no setting, any more, can still be unset; a section is never set as a whole
      if (value === null && !(schemaAt(path.split(".")) instanceof z.ZodObject)) return [];
      const checked = checkSetting(path, value);
      return "problem" in checked ? [checked.problem] : [];
    });
}

/** Takes what an issue is about out of the tree, and says so. */
function leaveOut(issue: z.core.$ZodIssue, tree: YamlMap, isSilent: boolean): readonly ConfigProblem[] {
  const path = issue.path.map(String);
  const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
  return names.flatMap((name, index) => {
    const at = name === undefined ? path : [...path, name];
    const value = removeAt(tree, at);
    return isSilent || index >= MAX_PROBLEMS
      ? []
      : [name === undefined ? wrongValue(at, value, issue) : unknownKey(at)];
  });
}

function unknownKey(path: readonly string[]): ConfigProblem {
  const name = path.at(-1) ?? "";
  const sibling = didYouMean(name, keysAt(path.slice(0, -1)));
  const elsewhere = allPaths().find((candidate) => candidate.split(".").at(-1) === name);
  const hint = sibling === "" && elsewhere !== undefined ? ` Did you mean "${elsewhere}"?` : sibling;
  return { path: path.join("."), message: `there is no such setting; it is left out.${hint}` };
}

function wrongValue(path: readonly string[], value: unknown, issue: z.core.$ZodIssue): ConfigProblem {
  if (issue.code !== "custom") {
    return {
      path: path.join("."),
      message: `expected a map of settings, found ${describeValue(value)}. Its defaults hold.`,
    };
  }
  // what stands under a platform may be a secret, so it is not quoted
  const isPrivate = path[0] === "platforms";
  const sentence = isPrivate ? issue.message.replace(/, found .*$/su, ".") : issue.message;
  return { path: path.join("."), message: `${sentence} ${whatHolds(path)}` };
}

function whatHolds(path: readonly string[]): string {
  const schema = schemaAt(path);
  const ofKind: unknown = schema === undefined ? undefined : z.parse(schema, undefined);
  const fallback = valueAt(configSchema().parse({}), path) ?? ofKind;
  if (fallback === undefined || fallback === "") return "It counts as not set.";
  if (Array.isArray(fallback) && fallback.length === 0) return "The default, an empty list, holds.";
  return `The default, ${Array.isArray(fallback) ? fallback.join(", ") : describeValue(fallback)}, holds.`;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) value = isYamlMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function removeAt(tree: YamlMap, path: readonly string[]): unknown {
  const parent = valueAt(tree, path.slice(0, -1));
  const name = path.at(-1);
  if (!isYamlMap(parent) || name === undefined) return undefined;
  const value = parent[name];
  delete parent[name];
  return value;
}
