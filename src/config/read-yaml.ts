import { isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { GatewayError } from "#src/domain/errors";
import { type ConfigProblem, describeValue } from "./problem";

/** Longest file in characters; the one that comes with Talaria has about 6,000. */
const MAX_CHARS = 128 * 1024;
/** Values in the file, each use of an anchor counted again: what keeps a few lines from becoming billions. */
const MAX_NODES = 10_000;
/** Levels of nesting; settings have six at the most. */
const MAX_DEPTH = 20;

export type YamlMap = Record<string, unknown>;

interface Walk {
  nodes: number;
  readonly anchors: Map<string, unknown>;
  readonly problems: ConfigProblem[];
  readonly isTyped: (path: readonly string[]) => boolean;
}

/**
 * Reads YAML into texts, lists and maps, within bounds. Every scalar stays the text that stands in the file: ids keep
 * their zeros, signs and digits, and whoever wants a number reads one. Where `isTyped`, for readers of JSON, `true`, `5`
 * and `null` are what they say unless they stand in quotes. Never throws.
 */
export function readYaml(
  text: string,
  isTyped: (path: readonly string[]) => boolean = () => false,
): { readonly tree: YamlMap; readonly problems: readonly ConfigProblem[] } {
  const walk: Walk = { nodes: 0, anchors: new Map(), problems: [], isTyped };
  try {
    return { tree: readTree(text, walk), problems: walk.problems };
  } catch (error) {
    const reason = error instanceof GatewayError ? error.message : "It cannot be read as YAML.";
    return { tree: emptyMap(), problems: [{ path: "the whole file", message: `${reason} All defaults hold.` }] };
  }
}

function readTree(text: string, walk: Walk): YamlMap {
  if (text.length > MAX_CHARS) throw new GatewayError("too_large", `It is longer than ${MAX_CHARS} characters.`);
  // the library compares every key with every other to find doubles: done here instead, while walking
  const document = parseDocument(text, { schema: "failsafe", uniqueKeys: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const [start] = error.linePos ?? [];
    const path = start === undefined ? "the whole file" : `line ${start.line}, column ${start.col}`;
    // the library's own sentence quotes the file, which may hold secrets
    walk.problems.push({
      path,
      message: `this is not valid YAML (${error.code.toLowerCase().replaceAll("_", " ")}). All defaults hold.`,
    });
    return emptyMap();
  }
  const tree = toPlain(document.contents, [], walk);
  if (isYamlMap(tree)) return tree;
  if (tree !== undefined) {
    walk.problems.push({
      path: "the whole file",
      message: `expected a map of settings, found ${describeValue(tree)}. All defaults hold.`,
    });
  }
  return emptyMap();
}

/** Whether a value is a map of settings. */
export function isYamlMap(value: unknown): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** No prototype: a key such as `__proto__` is then a key like any other, and an unknown one. */
function emptyMap(): YamlMap {
  return Object.create(null) as YamlMap; // Object.create is typed as any
}

function toPlain(node: unknown, path: readonly string[], walk: Walk): unknown {
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES) throw new GatewayError("too_large", `It holds more than ${MAX_NODES} values.`);
  if (path.length > MAX_DEPTH) throw new GatewayError("too_large", `It is nested more than ${MAX_DEPTH} levels deep.`);
  if (isAlias(node)) return toPlain(walk.anchors.get(node.source), [...path, "*"], walk);
  if (isScalar(node) || isSeq(node) || isMap(node)) {
    if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  }
  if (isSeq(node)) return node.items.map((item, index) => toPlain(item, [...path, String(index)], walk));
  if (isMap(node)) return toMap(node.items, path, walk);
  if (!isScalar(node)) return undefined;
  return walk.isTyped(path) ? toValue(node.value, node.type) : toText(node.value, node.type);
}

function toMap(
  pairs: readonly { readonly key: unknown; readonly value: unknown }[],
  path: readonly string[],
  walk: Walk,
): YamlMap {
  const map = emptyMap();
  for (const pair of pairs) {
    const key = isScalar(pair.key) ? String(pair.key.value) : "?";
    const at = [...path, key];
    if (Object.hasOwn(map, key))
      walk.problems.push({ path: at.join("."), message: "is set twice; the last one counts." });
    map[key] = toPlain(pair.value, at, walk);
  }
  return map;
}

/** Undefined for what YAML writes for "nothing". */
function toText(value: unknown, type: string | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  return type === "PLAIN" && /^(?:~|null)?$/i.test(value) ? undefined : value;
}

/** A scalar as JSON would have it. What a number would lose something of stays text: `007`, and ids of many digits. */
function toValue(value: unknown, type: string | undefined): unknown {
  const text = toText(value, type);
  if (text === undefined) return null;
  if (type !== "PLAIN") return text;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text;
  const number = Number(text);
  return text.includes(".") || Number.isSafeInteger(number) ? number : text;
}
