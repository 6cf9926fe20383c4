import type * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import { nearestWord } from "#src/lib/nearest-word";

/** Rounds of repair: a list that was sent as text can hold numbers that were sent as text. */
const MAX_REPAIRS = 3;
/** Faults that one sentence names; a model corrects the rest in its next try. */
const MAX_FAULTS = 5;

type Issue = z.core.$ZodIssue;

/**
 * Reads a model's arguments. What models get wrong harmlessly is repaired, and only where the schema wants that very
 * type: numbers, truth values, lists and objects sent as text, and null for "absent".
 *
 * @throws GatewayError `bad_request`, one sentence that names each field at fault and what was expected.
 */
export function parseArguments<Schema extends z.ZodObject>(
  tool: string,
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const strict = schema.strict();
  let value = input;
  let result = strict.safeParse(value);
  for (let round = 0; !result.success && round < MAX_REPAIRS; round++) {
    const repaired = repair(value, result.error.issues);
    if (repaired === undefined) break;
    value = repaired;
    result = strict.safeParse(value);
  }
  // strictness changes which input is taken, not what comes out
  if (result.success) return result.data as z.output<Schema>;
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue, value, Object.keys(schema.shape)));
  const named = faults.slice(0, MAX_FAULTS).join("; ");
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
  throw new GatewayError("bad_request", `The arguments of ${tool} do not fit: ${named}${more}.`);
}

/** A copy with every repairable fault repaired, or undefined when there is none. */
function repair(input: unknown, issues: readonly Issue[]): unknown {
  const holder: { root: unknown } = { root: structuredClone(input) };
  let isChanged = false;
  for (const issue of issues) {
    if (issue.code !== "invalid_type" && issue.code !== "invalid_value") continue;
    const path = ["root", ...issue.path];
    const key = path.pop();
    const parent = valueAt(holder, path);
    if (key === undefined || typeof parent !== "object" || parent === null) continue;
    const current = valueAt(parent, [key]);
    if (current === null && issue.path.length > 0 && !Array.isArray(parent)) {
      Reflect.deleteProperty(parent, key);
      isChanged = true;
      continue;
    }
    const meant = issue.code === "invalid_type" ? meantBy(current, issue.expected) : undefined;
    if (meant === undefined) continue;
    Object.defineProperty(parent, key, { value: meant, writable: true, enumerable: true, configurable: true });
    isChanged = true;
  }
  return isChanged ? holder.root : undefined;
}

/** What a value of the wrong type surely means in the wanted type. */
function meantBy(value: unknown, wanted: string): unknown {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (wanted === "number" || wanted === "int") return /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (wanted === "boolean") return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined;
  if (wanted === "array") return text.startsWith("[") ? parsed(text) : undefined;
  if (wanted === "object" || wanted === "record") return text.startsWith("{") ? parsed(text) : undefined;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function faultsOf(issue: Issue, input: unknown, fields: readonly string[]): string[] {
  if (issue.code !== "unrecognized_keys")
    return [`${fieldName(issue.path)} ${faultOf(issue, valueAt(input, issue.path))}`];
  const known = issue.path.length === 0 ? fields : [];
  return issue.keys.map((key) => unknownField([...issue.path, key], key, known));
}

function unknownField(path: readonly PropertyKey[], key: string, known: readonly string[]): string {
  const near = nearestWord(key, known);
  const hint = known.length === 0 ? "" : `, the fields are ${known.join(", ")}`;
  return `${fieldName(path)} is not a field${near === undefined ? hint : `, did you mean "${near}"?`}`;
}

/** What is wrong with one field, as the words after its name. */
function faultOf(issue: Issue, value: unknown): string {
  if (value === undefined && issue.path.length > 0) return `is missing${wantedBy(issue)}`;
  if (issue.code === "invalid_type") return `must be ${nounOf(issue.expected)}, not ${kindOf(value)}`;
  if (issue.code === "invalid_value") return `must be ${listOf(issue.values)}`;
  if (issue.code === "too_small") return `must ${boundOf("at least", issue.minimum, issue.origin)}`;
  if (issue.code === "too_big") return `must ${boundOf("at most", issue.maximum, issue.origin)}`;
  return issue.code === "custom" ? issue.message : `is not valid (${issue.message})`;
}

function wantedBy(issue: Issue): string {
  if (issue.code === "invalid_type") return ` (${nounOf(issue.expected)})`;
  return issue.code === "invalid_value" ? ` (${listOf(issue.values)})` : "";
}

function boundOf(side: string, bound: number | bigint, origin: string): string {
  const many = Number(bound) === 1 ? "" : "s";
  if (origin === "string") return `have ${side} ${bound} character${many}`;
  return origin === "array" || origin === "set" ? `have ${side} ${bound} element${many}` : `be ${side} ${bound}`;
}

function listOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? String(value));
  return words.length === 1 ? words.join("") : `one of ${words.join(", ")}`;
}

function nounOf(type: string): string {
  const nouns: Readonly<Record<string, string>> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
  };
  return nouns[type] ?? type;
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : nounOf(typeof value);
}

/** `todos[0].status`; the whole is called so, because it has no name. */
function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the whole";
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`)).join("");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
