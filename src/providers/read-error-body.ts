/** What an error body says, whatever its shape. */
export interface ErrorBody {
  /** Sentences, outermost first. */
  readonly texts: readonly string[];
  /** Codes, types and statuses, in lower case. */
  readonly codes: readonly string[];
  /** A router says which vendor refused. */
  readonly namesUpstream: boolean;
}

const CODE_KEYS = new Set(["code", "type", "status", "errorcode", "error_code", "errcode", "reason"]);
const TEXT_KEYS = new Set([
  "message",
  "error",
  "errormessage",
  "error_message",
  "error_description",
  "detail",
  "msg",
  "raw",
  "title",
]);
/** Deeper than any vendor nests, and an end for bodies that are made to have none. */
const MAX_DEPTH = 6;
const MAX_FIELDS = 200;
/** Characters of one sentence that are looked at. */
const MAX_TEXT_CHARS = 8000;

/** Reads sentences and codes from an error body: an object, an array around it, or JSON inside a string. */
export function readErrorBody(body: unknown): ErrorBody {
  const texts: string[] = [];
  const codes: string[] = [];
  let namesUpstream = false;
  let fields = 0;

  const readText = (text: string, depth: number): void => {
    const nested = parseObject(text);
    texts.push(text.slice(0, MAX_TEXT_CHARS));
    if (nested !== undefined) walk(nested, depth + 1);
  };

  const readField = (key: string, value: unknown, depth: number): void => {
    if (key === "provider_name") namesUpstream = true;
    if (CODE_KEYS.has(key) && (typeof value === "string" || typeof value === "number")) {
      codes.push(String(value).toLowerCase());
    } else if (TEXT_KEYS.has(key) && typeof value === "string") {
      readText(value, depth);
    } else {
      walk(value, depth + 1);
    }
  };

  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
    for (const [key, inner] of Object.entries(value)) {
      if (++fields > MAX_FIELDS) return;
      if (Array.isArray(value) && typeof inner === "string") readText(inner, depth);
      else readField(key.toLowerCase(), inner, depth);
    }
  };

  if (typeof body === "string") readText(body, 0);
  else walk(body, 0);
  return { texts, codes, namesUpstream };
}

function parseObject(text: string): unknown {
  if (!text.startsWith("{") || text.length > MAX_TEXT_CHARS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
