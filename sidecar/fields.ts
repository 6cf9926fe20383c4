import { Problem } from "./problem.ts";

/** Reads the fields of one request, each once, and refuses what nobody asked for. */
export interface Fields {
  text(name: string, options?: TextOptions): string;
  optionalText(name: string, options?: TextOptions): string | undefined;
  integer(name: string, options: IntegerOptions): number;
  flag(name: string): boolean;
  choice<const Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice;
  textList(name: string, options?: ListOptions): readonly string[] | undefined;
  textMap(name: string): ReadonlyMap<string, string>;
  /** A list of objects, read one by one. */
  objects<T>(name: string, read: (fields: Fields) => T, options?: ListOptions): readonly T[] | undefined;
  optionalObject<T>(name: string, read: (fields: Fields) => T): T | undefined;
  refuse(name: string, why: string): Problem;
  /** @throws {@link Problem} field_invalid when a field is left that none of the above has read */
  end(): void;
}

interface TextOptions {
  readonly maxChars?: number;
  readonly allowEmpty?: boolean;
  /** NUL ends a text for the system, so it is refused where the text goes there. */
  readonly allowNul?: boolean;
}

interface IntegerOptions {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

interface ListOptions {
  readonly maxItems?: number;
}

const MAX_CHARS = 4 * 1024 ** 2;
const MAX_ENV_NAMES = 256;
const MAX_ENV_VALUE_CHARS = 64 * 1024;

/** The fields of a JSON body. */
export function bodyFields(body: unknown): Fields {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Problem("body_invalid", "The body must be a JSON object.");
  return fieldsOf(new Map(Object.entries(body)), "", false);
}

/** The fields of a query string; whole numbers and flags come as text there. */
export function queryFields(query: URLSearchParams): Fields {
  for (const name of query.keys()) if (query.getAll(name).length > 1) throw refusal(name, "is given more than once");
  return fieldsOf(new Map(query), "", true);
}

function fieldsOf(values: ReadonlyMap<string, unknown>, prefix: string, isQuery: boolean): Fields {
  const seen = new Set<string>();

  function take(name: string): unknown {
    seen.add(name);
    return values.get(name) ?? undefined;
  }

  const refuse = (name: string, why: string) => refusal(`${prefix}${name}`, why);

  function optionalText(name: string, options: TextOptions = {}): string | undefined {
    const value = take(name);
    return value === undefined ? undefined : checkText(value, (why) => refuse(name, why), options);
  }

  function list<T>(
    name: string,
    maxItems: number,
    read: (item: unknown, index: number) => T,
  ): readonly T[] | undefined {
    const value = take(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw refuse(name, "must be a list");
    if (value.length > maxItems) throw refuse(name, `has more than ${maxItems} items`);
    return value.map(read);
  }

  function inner(value: unknown, name: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse(name, "must be an object");
    return fieldsOf(new Map(Object.entries(value)), `${prefix}${name}.`, false);
  }

  return {
    optionalText,
    text(name, options) {
      const value = optionalText(name, options);
      if (value === undefined) throw refuse(name, "is missing");
      return value;
    },
    integer(name, { min, max, otherwise }) {
      const value = take(name);
      if (value === undefined) return otherwise;
      const parsed = isQuery && typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
      if (typeof parsed !== "number" || !Number.isSafeInteger(parsed)) throw refuse(name, "must be a whole number");
      if (parsed < min || parsed > max) throw refuse(name, `must be from ${min} to ${max}`);
      return parsed;
    },
    flag(name) {
      const value = take(name);
      if (value === undefined || value === false) return false;
      if (value === true) return true;
      if (isQuery && (value === "1" || value === "true" || value === "")) return true;
      if (isQuery && (value === "0" || value === "false")) return false;
      throw refuse(name, "must be true or false");
    },
    choice(name, choices) {
      const value = take(name);
      if (value === undefined) return choices[0];
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) throw refuse(name, `must be one of ${choices.join(", ")}`);
      return choice;
    },
    textList: (name, { maxItems = 4096 } = {}) =>
      list(name, maxItems, (item, index) =>
        checkText(item, (why) => refuse(`${name}[${index}]`, why), { allowEmpty: true }),
      ),
    textMap(name) {
      const value = take(name);
      if (value === undefined) return new Map();
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse(name, "must be an object");
      return readEnvironment(value, (key, why) => refuse(`${name}.${key}`, why));
    },
    objects: (name, read, { maxItems = 100 } = {}) =>
      list(name, maxItems, (item, index) => {
        const fields = inner(item, `${name}[${index}]`);
        const value = read(fields);
        fields.end();
        return value;
      }),
    optionalObject(name, read) {
      const value = take(name);
      if (value === undefined) return undefined;
      const fields = inner(value, name);
      const result = read(fields);
      fields.end();
      return result;
    },
    refuse,
    end() {
      const unknown = [...values.keys()].find((name) => !seen.has(name));
      if (unknown !== undefined) throw refuse(unknown.slice(0, 64), "is no field of this route");
    },
  };
}

function readEnvironment(value: object, refuse: (key: string, why: string) => Problem): ReadonlyMap<string, string> {
  const entries = Object.entries(value);
  if (entries.length > MAX_ENV_NAMES) throw refuse("*", `has more than ${MAX_ENV_NAMES} names`);
  for (const [key, text] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(key)) throw refuse(key.slice(0, 64), "is no name of a variable");
    checkText(text, (why) => refuse(key, why), { allowEmpty: true, maxChars: MAX_ENV_VALUE_CHARS });
  }
  return new Map(entries);
}

function checkText(value: unknown, refuse: (why: string) => Problem, options: TextOptions): string {
  const { maxChars = MAX_CHARS, allowEmpty = false, allowNul = false } = options;
  if (typeof value !== "string") throw refuse("must be a text");
  if (value === "" && !allowEmpty) throw refuse("must not be empty");
  if (value.length > maxChars) throw refuse(`is longer than ${maxChars} characters`);
  if (!allowNul && value.includes("\0")) throw refuse("must not hold NUL");
  if (!value.isWellFormed()) throw refuse("must be well-formed Unicode");
  return value;
}

function refusal(field: string, why: string): Problem {
  return new Problem("field_invalid", `${field} ${why}.`, { field });
}
