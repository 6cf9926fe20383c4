import type { ModelMetadata } from "./model-metadata";
import { MODEL_TABLE } from "./model-table";

/** What an operator says of models, by name; any field, the rest stays as it is known. */
export type ModelOverrides = Readonly<Record<string, Partial<ModelMetadata>>>;

/** What is assumed of a model that nobody knows. */
const UNKNOWN: ModelMetadata = {
  contextTokens: 128_000,
  maxOutputTokens: 8192,
  vision: false,
  tools: true,
  reasoning: false,
  efforts: [],
};

/** Names of model families that read pictures. */
const SEES =
  /gpt-(?:4o|4\.1|[5-9])|(?:^|\/)o[34](?:$|-)|claude|gemini|openrouter\/auto|vision|llava|pixtral|[-_.]vl\b|vl[-_:]|-v$|gemma-?[3-9]|llama-?4|mistral-(?:small|medium)-3|grok-[4-9]|kimi-k(?:2\.[5-9]|[3-9])|glm-\d(?:\.\d)?v/i;

/** Words behind a name that change neither the model nor its price. */
const SAME_PRICE = new Set([
  "preview",
  "latest",
  "exp",
  "instruct",
  "it",
  "chat",
  "fp8",
  "fp16",
  "bf16",
  "awq",
  "nvfp4",
]);

/**
 * What is known of a model, by any of its names: with a vendor's prefix, a router's suffix, a date, or dots where others
 * have hyphens. One that is not in the table is taken for the nearest of its family, without a price, or for an
 * average one.
 */
export function findModel(name: string, overrides: ModelOverrides = {}): ModelMetadata {
  const found = lookUp(name) ?? { ...UNKNOWN, vision: SEES.test(name) };
  const override = overrides[name] ?? overrideOf(name, overrides);
  return override === undefined ? found : { ...found, ...override };
}

/** Whether the table has the model, or one of its family. */
export function isKnownModel(name: string): boolean {
  return lookUp(name) !== undefined;
}

const BY_NAME: ReadonlyMap<string, ModelMetadata> = new Map(
  Object.entries(MODEL_TABLE).map(([name, metadata]) => [plain(name), metadata]),
);

function lookUp(name: string): ModelMetadata | undefined {
  for (const each of namesOf(name)) {
    const found = BY_NAME.get(each);
    if (found !== undefined) return found;
  }
  return family(name);
}

function overrideOf(name: string, overrides: ModelOverrides): Partial<ModelMetadata> | undefined {
  const names = new Set(namesOf(name));
  return Object.entries(overrides).find(([each]) => names.has(plain(baseName(each))))?.[1];
}

/** A name and what is left of it as its suffixes are taken off, one after another. */
function namesOf(name: string): readonly string[] {
  const base = baseName(name);
  // Ollama writes the size behind a colon, OpenRouter the way it is served, Bedrock a revision
  const names = [plain(base), plain(base.replace(":", "-")), plain(base.replace(/:.*$/, ""))];
  for (let last = names.at(-1) ?? ""; ;) {
    const next = last.replace(SUFFIX, "");
    if (next === last || next === "") return names;
    names.push(next);
    last = next;
  }
}

const SUFFIX =
  /-(?:latest|preview|exp|experimental|beta|v\d+|\d{8}|20\d{2}-\d{2}-\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|\d{4})$/;

function baseName(name: string): string {
  const last = name.trim().toLowerCase().split("/").at(-1) ?? "";
  return last
    .replace(/^(?:us|eu|jp|au|apac|global)\./, "")
    .replace(/^(?:anthropic|openai|meta|mistral|deepseek|qwen)\./, "");
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[._]/g, "-");
}

/** The model whose name this one begins with: `gpt-5-pro` is a `gpt-5`, but `gpt-5-9` is not. */
function family(name: string): ModelMetadata | undefined {
  const last = namesOf(name).at(-1) ?? "";
  const [key, metadata] = [...BY_NAME]
    .filter(([each]) => last.startsWith(`${each}-`) && /[a-z]/.test(last[each.length + 1] ?? ""))
    .reduce<readonly [string, ModelMetadata | undefined]>(
      (best, each) => (each[0].length > best[0].length ? each : best),
      ["", undefined],
    );
  if (metadata === undefined) return undefined;
  const { price, ...rest } = metadata;
  const words = last.slice(key.length + 1).split("-");
  if (price !== undefined && words.every((word) => SAME_PRICE.has(word))) return metadata;
  return { ...rest, vision: SEES.test(name) };
}
