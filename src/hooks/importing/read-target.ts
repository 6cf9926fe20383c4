import type { HookDialectName, HookLogCode, HookSignature, HookTarget } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { isFields, textIn } from "../plain-json";

/** What an entry calls, or why it calls nothing. */
export type TargetReading = { readonly target: HookTarget } | { readonly code: HookLogCode; readonly message: string };

/** Systems that hand commands to a shell; the others split them into words. */
const SHELL_DIALECTS: ReadonlySet<HookDialectName> = new Set(["claude", "clawdcode"]);

const SIGNATURES: readonly HookSignature[] = ["standard", "github", "stripe", "slack", "hermes"];

/** Reads what an entry of a configuration calls. */
export function readTarget(entry: JsonObject, dialect: HookDialectName): TargetReading {
  const type = textIn(entry["type"]) ?? kindOf(entry);
  if (type === "http") return readHttp(entry);
  if (type === "command") return readCommand(entry, dialect);
  if (type === "module") return readModule(entry);
  if (type === "prompt" || type === "agent") return readPrompt(entry);
  if (type === undefined) return missing("it names no command, url, module or prompt");
  return { code: "hook.unavailable", message: `hooks of type "${type.slice(0, 40)}" cannot be called here` };
}

function kindOf(entry: JsonObject): string | undefined {
  if ("command" in entry || "shell" in entry) return "command";
  if ("url" in entry) return "http";
  return ["module", "prompt"].find((kind) => kind in entry);
}

function missing(message: string): TargetReading {
  return { code: "hook.missing_target", message };
}

function readHttp(entry: JsonObject): TargetReading {
  const url = textIn(entry["url"])?.trim();
  if (url === undefined) return missing("it has no url");
  const { responseKey, retry, acceptText } = entry;
  return {
    target: {
      type: "http",
      url,
      headers: textsOf(entry["headers"]),
      allowedSecrets: [...listOf(entry["allowedSecrets"]), ...listOf(entry["allowedEnvVars"])],
      ...readSignature(entry),
      ...(typeof responseKey === "string" ? { responseKey } : {}),
      blockStatuses: statusesIn(entry["blockStatuses"]),
      ...(acceptText === true ? { acceptText: true } : {}),
      ...(retry === 1 ? { retry: 1 } : {}),
    },
  };
}

function readSignature(entry: JsonObject): Pick<Extract<HookTarget, { type: "http" }>, "signature" | "onlyCompatible"> {
  const { signature, only } = entry;
  const own = isFields(signature) ? signature : {};
  const named = new Set(listOf(own["scheme"] ?? signature));
  const isOnly = only === true || own["only"] === true;
  return {
    signature: SIGNATURES.filter((scheme) => named.has(scheme)),
    ...(isOnly ? { onlyCompatible: true } : {}),
  };
}

function readCommand(entry: JsonObject, dialect: HookDialectName): TargetReading {
  const { command, args } = entry;
  const shell = textIn(entry["shell"]);
  // claude's `shell` names the shell, it does not hold the command
  if (dialect === "native" && shell !== undefined) return { target: { type: "command", shell, command: shell } };
  if (Array.isArray(command)) return readArgv(listOf(command));
  const line = textIn(command)?.trim();
  if (line === undefined) return missing("it has no command");
  if (dialect === "claude" && Array.isArray(args)) return readArgv([line, ...listOf(args)]);
  if (SHELL_DIALECTS.has(dialect)) return { target: { type: "command", shell: line, command: line } };
  return { target: { type: "command", command: line } };
}

function readArgv(argv: readonly string[]): TargetReading {
  if (argv.length === 0) return missing("it has no command");
  return { target: { type: "command", argv, command: argv.map(quoted).join(" ") } };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function readModule(entry: JsonObject): TargetReading {
  const [name = "", digest] = (textIn(entry["module"]) ?? "").trim().split("@sha256:");
  if (name === "") return missing("it has no module");
  if (digest === undefined) return { target: { type: "module", module: name } };
  if (!/^[0-9a-f]{64}$/i.test(digest)) return missing("the sha256 of its module is not 64 hexadecimal digits");
  return { target: { type: "module", module: name, sha256: digest.toLowerCase() } };
}

function readPrompt(entry: JsonObject): TargetReading {
  const prompt = textIn(entry["prompt"]);
  if (prompt === undefined) return missing("it has no prompt");
  const model = textIn(entry["model"]);
  return { target: { type: "prompt", prompt, ...(model === undefined ? {} : { model }) } };
}

/** A list of texts; a single text is a list of one. */
export function listOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === "string") : [];
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (typeof item === "string" ? [[key, item] as const] : [])),
  );
}

function statusesIn(value: JsonValue | undefined): readonly number[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonValue[]).filter(
    (status): status is number =>
      typeof status === "number" && Number.isInteger(status) && status >= 100 && status < 600,
  );
}
