// Bodies that no platform sends and every attacker tries, as fast-check makes them.
import * as fc from "fast-check";

/** JSON of a value; texts like `#12345678901234567890#` become the bare number, which no value can hold. */
export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll(/"#(-?\d+(?:e\d+)?)#"/g, "$1");
}

function nestedList(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Texts that are no text, mean something elsewhere, or are commands. */
const hostileText = fc.constantFrom(
  "\ud800",
  "a\udc00b",
  "\u0000",
  "\u202e",
  "__proto__",
  "constructor",
  "../../etc",
  "%",
  "%ZZ",
  ":",
  "main:x:dm:y",
  "/stop",
  "/new",
  "/model \ud800",
  "q:1:0",
  "`".repeat(5000),
  "*_[]()~`>#+-=|{}.!\\".repeat(50),
  "x".repeat(5000),
  "x".repeat(120_000),
);

/** A value of a kind that nobody expects where it stands. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, 0, -0, -1, 1.5, 1e308, [], {}, "", " ", "-1", "1e999") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "#9007199254740993#",
      "#123456789012345678901234567890#",
      "#-9007199254740995#",
      "#1e999#",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 60, 70, 3000).map(nestedList) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.oneof(fc.double(), fc.integer()) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Any JSON at all, with the keys that hurt. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  fc.dictionary(
    fc.oneof(
      fc.constantFrom("__proto__", "constructor", "type", "event", "message", "update_id"),
      fc.string({ maxLength: 8 }),
    ),
    hostileValue,
    { maxKeys: 6 },
  ),
);

/** Bytes that may be no text, let alone JSON. */
export const noise: fc.Arbitrary<Uint8Array<ArrayBuffer> | string> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Uint8Array.from(bytes)),
  fc.string({ unit: "binary", maxLength: 200 }),
  anyJson.map(toJson),
  fc.tuple(anyJson.map(toJson), fc.nat({ max: 400 })).map(([text, at]) => text.slice(0, at)),
);

/** One of these bodies, with some of its fields exchanged for hostile ones, lengthened, wrapped or taken away. */
export function mutated(bodies: readonly object[]): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat({ max: 1000 }),
    how: fc.constantFrom<How>("replace", "replace", "lengthen", "wrap", "drop"),
    value: hostileValue,
  });
  return fc.tuple(fc.constantFrom(...bodies), fc.array(change, { maxLength: 4 })).map(([body, changes]) => {
    let value: unknown = structuredClone(body);
    for (const one of changes) value = changeAt(value, one);
    return value;
  });
}

type How = "replace" | "lengthen" | "wrap" | "drop";

interface Change {
  readonly at: number;
  readonly how: How;
  readonly value: unknown;
}

interface Slot {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function slotsOf(value: unknown, depth = 0): Slot[] {
  if (typeof value !== "object" || value === null || depth > 12) return [];
  // an array is an object whose names are its places
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...slotsOf(holder[name], depth + 1)]);
}

function changeAt(body: unknown, { at, how, value }: Change): unknown {
  const slots = slotsOf(body);
  const slot = slots[at % Math.max(1, slots.length)];
  if (slot === undefined) return value;
  const { holder, name } = slot;
  const before = holder[name];
  if (how === "drop") delete holder[name];
  else if (how === "wrap") holder[name] = [before];
  else
    holder[name] =
      how === "lengthen" && typeof before === "string" && typeof value === "string" ? before + value : value;
  return body;
}
