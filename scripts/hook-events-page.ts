import type { CatalogueEntry } from "#src/hooks/event-catalogue";

/** One field of what an event carries, as its interface declares it. */
interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  readonly doc: string;
}

/** The texts that the catalogue is read from. */
export interface CatalogueSources {
  readonly catalogue: readonly CatalogueEntry[];
  /** `src/hooks/event-fields.ts`: what each event carries. */
  readonly eventFields: string;
  /** `src/domain/hook-event.ts`: what all of them carry. */
  readonly hookEvent: string;
}

const KINDS: Readonly<Record<CatalogueEntry["kind"], string>> = {
  gate: "A gate may deny, ask, or change the input. Its hooks are asked one after the other; the first denial ends it.",
  inject: "An injection adds context for the model. Its hooks are asked at once; what they say is joined in order.",
  transform: "A transform replaces a text. Its hooks are asked one after the other; the first that answers wins.",
  claim: "A claim decides. Its hooks are asked one after the other; the first that answers wins.",
  "keep-going":
    "A keep-going event may refuse that the agent stops. The first refusal wins, up to three in a row; of Claude Code's hooks up to eight.",
  observe: "An observer is told, and nothing of what it answers counts.",
};

const SYSTEMS: Readonly<Record<string, string>> = {
  hermes: "Hermes",
  "hermes-gateway": "Hermes' gateway",
  starchild: "Starchild",
  clawdcode: "ClawdCode",
  claude: "Claude Code",
};

/** The page of all events: docs/hooks/events.md. */
export function writeEventsPage({ catalogue, eventFields, hookEvent }: CatalogueSources): string {
  const shapes = readInterfaces(`${hookEvent}\n${eventFields}`);
  const carried = new Map(membersOf(shapes, "HookEventFields").map((field) => [field.name, field.type]));
  const present = catalogue.filter(({ absent }) => absent !== true);
  const absent = catalogue.filter((entry) => entry.absent === true);
  return [
    "<!-- Written by scripts/hook-docs.ts from src/domain/hook-event.ts and src/hooks/event-fields.ts: change those. -->",
    "# Events",
    `${present.length} moments at which hooks are called, in Talaria's own names. How to write a hook for one: [writing.md](writing.md).`,
    "## Kinds",
    list(Object.entries(KINDS).map(([kind, meaning]) => `**${kind}**: ${meaning}`)),
    "Every answer may also hold `notes` (for the person), `stop` (ends the turn) and `reason`. A field that an event does not know is dropped.",
    "## What every event carries",
    "An HTTP hook gets `{type, timestamp, data}`. `data` holds these fields and the event's own. `?` marks what may be absent.",
    list([
      ...fieldLines(membersOf(shapes, "HookScope"), shapes),
      "`event_id`: text. The same for every try, and the same as the header `webhook-id`.",
      "`execution_id`: text. The event and the hook.",
      "`seq`: number. Grows with every event of a session.",
      "`truncated?`: list of text. JSON pointers of fields that were cut because the event was too large.",
    ]),
    ...present.flatMap((entry) => section(entry, carried.get(entry.name), shapes)),
    "## Moments that do not exist here",
    "Hooks for these import, are listed as such and are never called.",
    `${list(absent.map((entry) => `\`${entry.name}\`: ${entry.when}${systemsOf(entry)}`))}\n`,
  ].join("\n\n");
}

type Shapes = ReadonlyMap<string, { readonly parent?: string; readonly members: readonly Field[] }>;

function section(entry: CatalogueEntry, type: string | undefined, shapes: Shapes): readonly string[] {
  const answers = entry.answers.filter((field) => !["notes", "stop", "reason"].includes(field));
  const facts = [
    `Kind: ${entry.kind}.`,
    answers.length === 0 ? "" : ` Answers: ${answers.map((field) => `\`${field}\``).join(", ")}.`,
    systemsOf(entry).replace(/^ \((.*)\)$/, " Elsewhere: $1."),
  ].join("");
  const fields = type === undefined ? [] : fieldLines(fieldsOf(type, shapes), shapes);
  return [
    `## ${entry.name}`,
    `${entry.when.charAt(0).toUpperCase()}${entry.when.slice(1)}. ${facts}`,
    ...(fields.length === 0 ? [] : [list(fields)]),
  ];
}

function systemsOf({ names }: CatalogueEntry): string {
  const systems = Object.entries(names).map(
    ([system, natives]) => `${SYSTEMS[system] ?? system} ${natives.map((native) => `\`${native}\``).join(", ")}`,
  );
  return systems.length === 0 ? "" : ` (${systems.join("; ")})`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** A line for each field; those of objects stand behind the object's name. */
function fieldLines(fields: readonly Field[], shapes: Shapes, before = ""): readonly string[] {
  return fields.flatMap((field) => {
    const name = `${before}${field.name}`;
    const parts = isObject(field.type, shapes) ? fieldsOf(field.type, shapes) : [];
    const label = `\`${name}${field.isOptional ? "?" : ""}\``;
    const doc = field.doc === "" ? "" : ` ${field.doc.replace(/\.?$/, ".")}`;
    const line = `${label}: ${parts.length > 0 ? "object" : typeInWords(field.type)}.${doc}`;
    return [line, ...fieldLines(parts, shapes, `${name}.`)];
  });
}

function isObject(type: string, shapes: Shapes): boolean {
  return shapes.has(type) || (type.startsWith("{") && type.endsWith("}"));
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  boolean: "true or false",
  null: "null",
  JsonObject: "object",
  JsonValue: "any JSON",
};

function typeInWords(type: string): string {
  if (type.endsWith("[]")) return `list of ${typeInWords(type.slice(0, -2))}`;
  if (type.startsWith("{"))
    return `\`{${readMembers(type.slice(1, -1))
      .map(({ name }) => name)
      .join(", ")}}\``;
  const parts = splitAt(type, "|");
  return parts.map((part) => WORDS[part] ?? `\`${part.replaceAll('"', "")}\``).join(" or ");
}

/** The fields of a type: of an interface, an object, or of several joined by `&`. */
function fieldsOf(type: string, shapes: Shapes): readonly Field[] {
  return splitAt(type, "&").flatMap((part) =>
    part.startsWith("{") ? readMembers(part.slice(1, -1)) : membersOf(shapes, part),
  );
}

function membersOf(shapes: Shapes, name: string): readonly Field[] {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`there is no interface ${name}`);
  return [...(shape.parent === undefined ? [] : membersOf(shapes, shape.parent)), ...shape.members];
}

function readInterfaces(source: string): Shapes {
  const shapes = new Map<string, { parent?: string; members: readonly Field[] }>();
  for (const found of source.matchAll(/^(?:export )?interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm)) {
    const [, name = "", parent, body = ""] = found;
    shapes.set(name, { ...(parent === undefined ? {} : { parent }), members: readMembers(body) });
  }
  return shapes;
}

/** The members between the braces of an interface: a comment, a name and a type each. */
function readMembers(body: string): readonly Field[] {
  return splitAt(body, ";").map((member) => {
    const [, doc = "", rest = ""] = /^(?:\/\*\*([\s\S]*?)\*\/)?\s*([\s\S]*)$/.exec(member) ?? [];
    const [, name = "", mark = "", type = ""] =
      /^(?:readonly )?("[^"]+"|\w+)(\??):\s*([\s\S]+)$/.exec(rest.trim()) ?? [];
    if (name === "") throw new Error(`this is no member: ${member}`);
    return {
      name: name.replaceAll('"', ""),
      isOptional: mark === "?",
      type: plainType(type),
      doc: doc.replaceAll(/\s*\n\s*\* ?/g, " ").trim(),
    };
  });
}

function plainType(type: string): string {
  return type
    .replaceAll(/\breadonly\b/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The parts of a text between a sign, outside of braces and comments. */
function splitAt(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    else if (text[at] === sign && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== "");
}
