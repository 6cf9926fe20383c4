import * as z from "zod";
import { describeValue, didYouMean } from "./problem";

/** A kind of value that settings have. Text is always taken: YAML, the environment and JSON give the same setting. */
export interface Kind<T> {
  /** What it takes, for people: "a whole number from 1 to 10". */
  readonly expected: string;
  /** The words it takes, when they can be listed: for "did you mean". */
  readonly words?: () => readonly string[];
  /** Undefined when the value is none of this kind. */
  readonly read: (value: unknown) => T | undefined;
}

/** One setting: its kind, and the value that holds while nothing, or nothing valid, is set. */
export function setting<T>(fallback: T, kind: Kind<T>) {
  return z
    .unknown()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === null) return fallback;
      const read = kind.read(value);
      if (read !== undefined) return read;
      context.addIssue({ code: "custom", message: complain(value, kind) });
      return z.NEVER;
    });
}

/** The sentence about a value that is none of a kind. */
export function complain(value: unknown, { expected, words }: Pick<Kind<unknown>, "expected" | "words">): string {
  const hint = typeof value === "string" && words !== undefined ? didYouMean(value, words()) : "";
  return `expected ${expected}, found ${describeValue(value)}.${hint}`;
}

/** A whole number between two bounds, both included; `unit` is said to people. */
export function whole(min: number, max: number, unit = ""): Kind<number> {
  return {
    expected: `a whole number${unit === "" ? "" : ` of ${unit}`} from ${min} to ${max}`,
    read(value) {
      const number = typeof value === "string" && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
      return typeof number === "number" && Number.isInteger(number) && number >= min && number <= max
        ? number
        : undefined;
    },
  };
}

/** A number between two bounds, both included; `unit` is said to people. */
function decimal(min: number, max: number, unit = ""): Kind<number> {
  return {
    expected: `a number${unit === "" ? "" : ` of ${unit}`} from ${min} to ${max}`,
    read(value) {
      const number =
        typeof value === "string" && /^[+-]?\d{1,9}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : value;
      return typeof number === "number" && number >= min && number <= max ? number : undefined;
    },
  };
}

/** US dollars; 0 is no limit. */
export const amount = decimal(0, 1_000_000, "US dollars");

/** A part of a whole that is neither nothing nor all. */
export const share = decimal(0.1, 0.95);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);

/** Yes or no, in any of the usual spellings. */
export const flag: Kind<boolean> = {
  expected: "true or false",
  words: () => Array.from(FLAGS.keys()),
  read: (value) =>
    ["string", "number", "boolean"].includes(typeof value) ? FLAGS.get(String(value).trim().toLowerCase()) : undefined,
};

/** Free text. */
export function text(maxChars = 1000): Kind<string> {
  return {
    expected: `a text of at most ${maxChars} characters`,
    read(value) {
      const given = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
      return typeof given === "string" && given.length <= maxChars ? given.trim() : undefined;
    },
  };
}

/** Most entries of a list. */
const MAX_ENTRIES = 1000;

/** A list of words, or one text with commas between them. */
export const texts: Kind<readonly string[]> = {
  expected: "a list of words, or words with commas between them",
  read(value) {
    const given: readonly unknown[] | undefined = typeof value === "string" ? value.split(",") : asList(value);
    if (given === undefined || given.length > MAX_ENTRIES) return undefined;
    const { read } = text();
    const entries = given.map(read);
    return entries.every((entry) => entry !== undefined) ? entries.filter((entry) => entry !== "") : undefined;
  },
};

function asList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return typeof value === "number" ? [value] : undefined;
}

/** One of a few words. */
export function word<const W extends string>(words: readonly W[]): Kind<W> {
  return {
    expected: `one of ${words.join(", ")}`,
    words: () => words,
    read: (value) => words.find((candidate) => typeof value === "string" && candidate === value.trim().toLowerCase()),
  };
}

/** A time zone by its IANA name. */
export const timeZone: Kind<string> = {
  expected: "a time zone such as Europe/Berlin",
  words: () => Intl.supportedValuesOf("timeZone"),
  read(value) {
    if (typeof value !== "string" || value.length > 100) return undefined;
    // the first use of Intl costs some ten milliseconds, which most starts can do without
    if (value === "UTC") return value;
    try {
      return new Intl.DateTimeFormat("en", { timeZone: value.trim() }).resolvedOptions().timeZone;
    } catch {
      return undefined; // a RangeError is how Intl says that it knows no such zone
    }
  },
};
