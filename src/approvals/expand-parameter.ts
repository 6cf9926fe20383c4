import type { ParameterPart } from "#src/lib/shell/script";
import { UNKNOWN, changed, isKnown } from "./markers";

/** What is known of the shell's variables. */
export interface Variables {
  /** The elements of a variable; undefined when nothing is known of it. */
  readonly read: (name: string) => readonly string[] | undefined;
  readonly write: (name: string, elements: readonly string[]) => void;
}

const MAX_CHARS = 65_536;

/**
 * The elements that `$name` or `${name...}` stands for: one, but for arrays and `$@`. `expandOperand` gives the text of
 * what stands behind the operator, and is asked only when that counts.
 */
export function expandParameter(
  part: ParameterPart,
  variables: Variables,
  expandOperand: () => string,
): readonly string[] {
  const elements = elementsOf(part, variables);
  const { operator, prefix } = part;
  if (prefix === "#") return [elements === undefined ? UNKNOWN : String(elements.join(" ").length)];
  if (operator === undefined) return elements ?? [UNKNOWN];
  const operand = expandOperand();
  if (/^:?[-=?+]$/.test(operator)) return orElse(part, elements, operand, variables);
  return (elements ?? [UNKNOWN]).map((text) => changeText(text, operator, operand).slice(0, MAX_CHARS));
}

function elementsOf({ name, index, prefix }: ParameterPart, variables: Variables): readonly string[] | undefined {
  const found = variables.read(name);
  if (prefix === "!" && found !== undefined) return variables.read(found[0] ?? "");
  if (index === undefined || found === undefined)
    return index === undefined && found !== undefined && name !== "@" && name !== "*" ? found.slice(0, 1) : found;
  if (index === "@" || index === "*") return found;
  const at = Number.parseInt(index, 10);
  return Number.isNaN(at) ? [UNKNOWN] : found.slice(at, at + 1);
}

/** `:-`, `:=`, `:+`, `:?` and their kin. Of a variable that nothing is known of, it is taken that it is set. */
function orElse(
  part: ParameterPart,
  elements: readonly string[] | undefined,
  operand: string,
  variables: Variables,
): readonly string[] {
  const kind = part.operator?.at(-1);
  const isEmpty = elements !== undefined && elements.join("") === "";
  if (kind === "+") return [isEmpty ? "" : operand];
  if (kind === "?") return elements ?? [UNKNOWN];
  if (elements !== undefined && !isEmpty) return elements;
  // a name that nobody has heard of stands for its default: that is what it was written for
  const value = [operand];
  if (kind === "=") variables.write(part.name, value);
  return value;
}

function changeText(text: string, operator: string, operand: string): string {
  if (operator === ":") return cutOut(text, operand);
  if (operator.startsWith("^"))
    return operator === "^^" ? text.toUpperCase() : text.slice(0, 1).toUpperCase() + text.slice(1);
  if (operator.startsWith(","))
    return operator === ",," ? text.toLowerCase() : text.slice(0, 1).toLowerCase() + text.slice(1);
  if (!isKnown(text)) return changed(text);
  if (operator.startsWith("/")) return replace(text, operator, operand);
  if (operator.startsWith("#") || operator.startsWith("%")) return cutOff(text, operator, operand);
  return text;
}

/** `${name:offset:length}`. */
function cutOut(text: string, operand: string): string {
  const [offset = "0", length] = operand.split(":");
  const from = Number(offset.trim());
  if (!Number.isInteger(from)) return changed(text);
  // home begins with a slash, whatever follows
  const known = from === 0 && length?.trim() === "1" ? text.replace(/^\ufdd1/u, "/") : text;
  const start = from < 0 ? Math.max(0, known.length + from) : from;
  if (length === undefined) return known.slice(start);
  const count = Number(length.trim());
  if (!Number.isInteger(count)) return changed(text);
  return count < 0 ? known.slice(start, count) : known.slice(start, start + count);
}

function replace(text: string, operator: string, operand: string): string {
  const slash = operand.indexOf("/");
  const pattern = slash === -1 ? operand : operand.slice(0, slash);
  const by = slash === -1 ? "" : operand.slice(slash + 1);
  if (pattern === "") return text;
  if (/[*?[\]]/.test(pattern)) return changed(text);
  if (operator === "//") return text.replaceAll(pattern, () => by);
  if (operator === "/#") return text.startsWith(pattern) ? by + text.slice(pattern.length) : text;
  if (operator === "/%") return text.endsWith(pattern) ? text.slice(0, -pattern.length) + by : text;
  return text.replace(pattern, () => by);
}

/** `#` and `%`: a pattern is only understood as `*` before or behind a text, or as so many `?`. */
function cutOff(text: string, operator: string, operand: string): string {
  const isLong = operator.length === 2;
  if (/^\?+$/.test(operand))
    return operator.startsWith("#") ? text.slice(operand.length) : text.slice(0, -operand.length);
  if (operator.startsWith("#")) {
    const plain = operand.startsWith("*") ? operand.slice(1) : operand;
    if (/[*?[\]]/.test(plain)) return changed(text);
    if (plain === operand) return text.startsWith(plain) ? text.slice(plain.length) : text;
    const at = isLong ? text.lastIndexOf(plain) : text.indexOf(plain);
    return at === -1 ? text : text.slice(at + plain.length);
  }
  const plain = operand.endsWith("*") ? operand.slice(0, -1) : operand;
  if (/[*?[\]]/.test(plain)) return changed(text);
  if (plain === operand) return text.endsWith(plain) && plain !== "" ? text.slice(0, -plain.length) : text;
  const at = isLong ? text.indexOf(plain) : text.lastIndexOf(plain);
  return at === -1 ? text : text.slice(0, at);
}
