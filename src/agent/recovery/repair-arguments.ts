/** Words that a model takes from another language. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["undefined", "null"],
]);

/** What may follow the object: closing brackets too many, and marks of the model's own format. */
const HARMLESS_REST = /^[\s}\]]*(?:<[^<>]{0,40}>\s*)*$/;

/** What may stand last where only closing braces are missing: nothing that could itself be cut off. */
const WHOLE_END = /["}\]el]$/;

/**
 * A model's arguments as the text of a JSON object: as they are when they are one, else put right where there is no
 * doubt of what was meant: fences, foreign words and quotes, line breaks in strings, commas too many, closing braces
 * missing or too many. Undefined for everything else. A string that never ends is never closed: it would be half of a
 * file or a command.
 */
export function repairArguments(raw: string): string | undefined {
  const text = unfence(raw.trim());
  if (text === "" || text === "null" || text === "None") return "{}";
  const parsed = parse(text);
  if (typeof parsed === "string") return objectText(parse(parsed));
  if (parsed !== undefined) return objectText(parsed) === undefined ? undefined : text;
  const rewritten = rewrite(text);
  if (rewritten === undefined) return undefined;
  const { objects, rest } = rewritten;
  if (!HARMLESS_REST.test(rest)) return undefined;
  // some models begin with an empty object, or say the same twice
  const [first, ...others] = [...new Set(objects.map((object) => objectText(parse(object))))].filter(
    (object) => object !== "{}" || objects.length === 1,
  );
  return others.length === 0 ? first : undefined;
}

function unfence(text: string): string {
  return /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function objectText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : undefined;
}

interface Rewritten {
  /** The objects at the beginning, one after the other, as JSON. */
  readonly objects: readonly string[];
  readonly rest: string;
}

/** One walk over the text: what is in strings is escaped, what is between them is put in order. */
function rewrite(text: string): Rewritten | undefined {
  const objects: string[] = [];
  const open: string[] = [];
  let parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at);
    if (token === undefined) return undefined;
    const { json } = token;
    if (open.length === 0 && json !== "{" && json.trim() !== "") break;
    if (json === "{" || json === "[") open.push(json === "{" ? "}" : "]");
    else if (json === "}" || json === "]") {
      if (open.pop() !== json) return undefined;
      dropComma(parts);
    }
    parts.push(json);
    at = token.end;
    if (open.length > 0 || json !== "}") continue;
    objects.push(parts.join(""));
    parts = [];
  }
  if (open.length > 0) {
    const unfinished = parts.join("").trimEnd();
    // only braces: a list that was not ended may have lost its last items
    if (open.includes("]") || !WHOLE_END.test(unfinished)) return undefined;
    objects.push(unfinished + open.join(""));
  }
  return objects.length === 0 ? undefined : { objects, rest: text.slice(at) };
}

function dropComma(parts: string[]): void {
  const last = parts.findLastIndex((part) => part.trim() !== "");
  if (parts[last] === ",") parts.splice(last, 1);
}

interface Token {
  readonly json: string;
  readonly end: number;
}

const NAME = /[A-Za-z_$][\w$-]*/y;
const COLON = /\s*:/y;

/** The string, word or character that stands at a place, as JSON. */
function readToken(text: string, at: number): Token | undefined {
  const char = text.charAt(at);
  if (char === '"' || char === "'") return readString(text, at);
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return { json: char, end: at + 1 };
  COLON.lastIndex = at + name.length;
  return { json: COLON.test(text) ? JSON.stringify(name) : (WORDS.get(name) ?? name), end: at + name.length };
}

/** The string that begins at a quote, as JSON, and where it ends. */
function readString(text: string, start: number): Token | undefined {
  const quote = text[start];
  let json = '"';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === quote) return { json: `${json}"`, end: at + 1 };
    if (char === "\\") {
      at++;
      json += escape(text.slice(at, at + 5));
    } else if (char === '"') json += '\\"';
    else json += char < " " ? JSON.stringify(char).slice(1, -1) : char;
  }
  return undefined;
}

/** What a backslash and the characters behind it stand for; one that means nothing in JSON was meant as itself. */
function escape(next: string): string {
  const char = next.charAt(0);
  if (char === "'") return "'";
  if (char === "u") return /^u[\da-f]{4}/i.test(next) ? "\\u" : "\\\\u";
  if ('"\\/bfnrt'.includes(char)) return `\\${char}`;
  return `\\\\${char < " " ? JSON.stringify(char).slice(1, -1) : char}`;
}
