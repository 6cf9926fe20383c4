import { splitArgv } from "./split-argv";

/** What a person asks of `/hooks`, or of `hooks` on a command line. */
export type HooksCommand =
  | { readonly type: "list"; readonly event?: string }
  | { readonly type: "help" | "review" }
  | { readonly type: "status" }
  | { readonly type: "switch"; readonly isOn: boolean }
  | { readonly type: "approve"; readonly event: string; readonly target: string; readonly digest?: string }
  /** Everything after the word: a target, which may hold spaces, and maybe an event behind it. */
  | { readonly type: "revoke"; readonly words: string }
  | { readonly type: "enable" | "disable" | "show"; readonly id: string }
  /** Of the workspace. */
  | { readonly type: "import"; readonly path: string }
  | { readonly type: "doctor" | "log"; readonly id?: string }
  | { readonly type: "deliveries"; readonly replay?: string }
  | { readonly type: "test"; readonly event: string; readonly tool?: string; readonly payload?: string }
  /** Not understood: why, for the person. */
  | { readonly type: "unknown"; readonly why: string };

/** `sha256:` and 64 hex digits: what was shown when the hook was listed. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Reads what stands after `/hooks`. */
export function parseHooksArguments(text: string): HooksCommand {
  const [verb = "list", rest] = splitWord(text);
  const read = VERBS.get(verb.toLowerCase());
  return read === undefined ? { type: "unknown", why: `There is no "/hooks ${verb}". Try /hooks help.` } : read(rest);
}

/** Reads a whole command line such as `talaria hooks list`; undefined when it is none of these. */
export function parseHooksCommandLine(line: string): HooksCommand | undefined {
  const words = splitArgv(line) ?? line.split(/\s+/);
  if (words[1] !== "hooks") return undefined;
  return parseHooksArguments(
    words
      .slice(2)
      .filter((word) => word !== "--json")
      .join(" "),
  );
}

type ReadVerb = (rest: string) => HooksCommand;

const VERBS: ReadonlyMap<string, ReadVerb> = new Map<string, ReadVerb>([
  ["list", (rest) => (rest === "" ? { type: "list" } : { type: "list", event: rest })],
  ["status", () => ({ type: "status" })],
  ["help", () => ({ type: "help" })],
  ["review", () => ({ type: "review" })],
  ["on", () => ({ type: "switch", isOn: true })],
  ["off", () => ({ type: "switch", isOn: false })],
  ["approve", parseApprove],
  ["revoke", (rest) => (rest === "" ? missing("revoke <target> [event]") : { type: "revoke", words: rest })],
  ["enable", (rest) => parseId("enable", rest)],
  ["disable", (rest) => parseId("disable", rest)],
  ["show", (rest) => parseId("show", rest)],
  ["doctor", (rest) => (rest === "" ? { type: "doctor" } : { type: "doctor", id: rest })],
  ["log", (rest) => (rest === "" ? { type: "log" } : { type: "log", id: rest })],
  ["import", (rest) => (rest === "" ? missing("import <path>") : { type: "import", path: rest })],
  ["deliveries", parseDeliveries],
  ["test", parseTest],
]);

function parseApprove(rest: string): HooksCommand {
  const [event, words] = splitWord(rest);
  const last = words.split(/\s+/).at(-1) ?? "";
  const digest = DIGEST.test(last) ? last : undefined;
  const target = (digest === undefined ? words : words.slice(0, -digest.length)).trim();
  if (event === undefined || target === "") return missing("approve <event> <target> [sha256:...]");
  return { type: "approve", event, target, ...(digest === undefined ? {} : { digest }) };
}

function parseId(type: "enable" | "disable" | "show", rest: string): HooksCommand {
  return rest === "" ? missing(`${type} <id>`) : { type, id: rest };
}

function parseDeliveries(rest: string): HooksCommand {
  const [verb = "list", id] = splitWord(rest);
  if (verb === "list") return { type: "deliveries" };
  return verb === "replay" && id !== "" ? { type: "deliveries", replay: id } : missing("deliveries [list|replay <id>]");
}

function parseTest(rest: string): HooksCommand {
  const [event, options] = splitWord(rest);
  if (event === undefined) return missing("test <event> [--tool X] [--payload JSON]");
  const tool = /--tool\s+(\S+)/.exec(options)?.[1];
  const payload = /--payload\s+(.+)$/s.exec(options)?.[1]?.trim();
  return {
    type: "test",
    event,
    ...(tool === undefined ? {} : { tool }),
    ...(payload === undefined ? {} : { payload }),
  };
}

function missing(usage: string): HooksCommand {
  return { type: "unknown", why: `Usage: /hooks ${usage}` };
}

/** The first word of a text and what follows it. */
function splitWord(text: string): readonly [string | undefined, string] {
  const trimmed = text.trim();
  if (trimmed === "") return [undefined, ""];
  const end = trimmed.search(/\s/);
  return end === -1 ? [trimmed, ""] : [trimmed.slice(0, end), trimmed.slice(end).trim()];
}
