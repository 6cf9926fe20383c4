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

/** A value of a kind that nobody expects where it stands. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    "",
    " ",
    "0",
    "-1",
    "1e999",
  ),
  fc.constantFrom("#9007199254740993#", "#123456789012345678901234567890#", "#-9007199254740995#", "#1e999#"),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "\u0000",
    "\ud800",
    "a\udc00b",
    "\u202e",
    "../../etc",
    "%",
    "%2F",
    "%ZZ",
    ":",
    "main:x:dm:y",
  ),
  fc.constantFrom(
    "/stop",
    "/new",
    "/",
    "/status@nobody",
    "/model \ud800",
    "`".repeat(5000),
    "*_[]()~`>#+-=|{}.!\\".repeat(50),
    "q:1:0",
  ),
  fc.constantFrom(100, 5000, 120_000).map((length) => "x".repeat(length)),
  fc.constantFrom(10, 60, 70, 3000).map(nestedList),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.double(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
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

/** One of these bodies, with some of its fields exchanged for hostile ones, taken away, or doubled. */
export function mutated(bodies: readonly object[]): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat({ max: 1000 }),
    how: fc.constantFrom("replace", "replace", "replace", "drop", "wrap"),
    value: hostileValue,
  });
  return fc
    .tuple(fc.constantFrom(...bodies), fc.array(change, { maxLength: 4 }))
    .map(([body, changes]) =>
      changes.reduce<unknown>(
        (value, { at, how, value: hostile }) => changeAt(value, at, how, hostile),
        structuredClone(body),
      ),
    );
}

type Slot = { readonly holder: Record<string, unknown>; readonly name: string };

function slotsOf(value: unknown, depth = 0): Slot[] {
  if (typeof value !== "object" || value === null || depth > 12) return [];
  // an array is an object whose names are its places
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...slotsOf(holder[name], depth + 1)]);
}

function changeAt(value: unknown, at: number, how: string, hostile: unknown): unknown {
  const slots = slotsOf(value);
  const slot = slots[at % Math.max(1, slots.length)];
  if (slot === undefined) return hostile;
  if (how === "drop") delete slot.holder[slot.name];
  else slot.holder[slot.name] = how === "wrap" ? [slot.holder[slot.name]] : hostile;
  return value;
}
