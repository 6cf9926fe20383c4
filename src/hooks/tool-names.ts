import type { JsonObject, JsonValue } from "#src/domain/json";
import { textOf } from "./plain-json";

/** A system whose tools have names of their own. */
export type ToolVocabulary = "claude" | "clawdcode" | "starchild";

/** An argument that another system names or writes differently. */
export interface ArgumentNames {
  readonly ours: string;
  /** Its name there; absent when its tool has no place for it. */
  readonly theirs?: string;
  readonly write?: (value: JsonValue, cwd: string) => JsonValue;
  /** Reads it back; `before` is what it was when it was written. */
  readonly read?: (value: JsonValue, before: JsonValue | undefined) => JsonValue;
}

/** One tool under its name in another system. */
export interface ToolNames {
  readonly ours: string;
  readonly theirs: string;
  /** Older names that matchers may still use. */
  readonly alias?: string;
  /** Says that the other name only fits calls like this. */
  readonly fits?: (input: JsonObject) => boolean;
  /** Arguments that a call under the other name has here, when they are not among what it says. */
  readonly implies?: JsonObject;
  readonly arguments: readonly ArgumentNames[];
}

const milliseconds: Pick<ArgumentNames, "write" | "read"> = {
  write: (value) => (typeof value === "number" ? value * 1000 : value),
  read: (value) => (typeof value === "number" ? value / 1000 : value),
};

const absolutePath: Pick<ArgumentNames, "write"> = {
  write: (value, cwd) => (typeof value === "string" && !/^[/~]/.test(value) && cwd !== "" ? joined(cwd, value) : value),
};

const firstUrl: ArgumentNames = {
  ours: "urls",
  theirs: "url",
  write: (value) => (Array.isArray(value) ? ((value as readonly JsonValue[])[0] ?? null) : value),
  read: (value, before) => (Array.isArray(before) ? [value, ...(before as readonly JsonValue[]).slice(1)] : [value]),
};

function joined(folder: string, path: string): string {
  return `${folder.replace(/\/+$/, "")}/${path.replace(/^(\.\/)+/, "")}`;
}

function isReplacement(input: JsonObject): boolean {
  return (input["mode"] ?? "replace") === "replace";
}

/** What Claude Code and its like call our tools. `path` says how they write paths. */
function claudeLike(path: Pick<ArgumentNames, "write">): readonly ToolNames[] {
  const file: ArgumentNames = { ours: "path", theirs: "file_path", ...path };
  return [
    {
      ours: "terminal",
      theirs: "Bash",
      arguments: [
        { ours: "timeout", theirs: "timeout", ...milliseconds },
        { ours: "background", theirs: "run_in_background" },
      ],
    },
    { ours: "read_file", theirs: "Read", arguments: [file] },
    { ours: "write_file", theirs: "Write", arguments: [file] },
    { ours: "patch", theirs: "Edit", fits: isReplacement, arguments: [file, { ours: "mode" }] },
    {
      ours: "search_files",
      theirs: "Glob",
      fits: ({ target }) => target === "files",
      implies: { target: "files" },
      arguments: [{ ours: "target" }],
    },
    { ours: "search_files", theirs: "Grep", arguments: [{ ours: "target" }] },
    { ours: "web_search", theirs: "WebSearch", arguments: [] },
    { ours: "web_extract", theirs: "WebFetch", arguments: [firstUrl] },
    { ours: "delegate_task", theirs: "Agent", alias: "Task", arguments: [{ ours: "goal", theirs: "prompt" }] },
    { ours: "clarify", theirs: "AskUserQuestion", arguments: [] },
  ];
}

const STARCHILD: readonly ToolNames[] = [
  { ours: "terminal", theirs: "bash", arguments: [] },
  {
    ours: "patch",
    theirs: "edit_file",
    fits: isReplacement,
    arguments: [{ ours: "mode" }, { ours: "replace_all" }],
  },
  { ours: "web_extract", theirs: "web_fetch", arguments: [firstUrl] },
  { ours: "delegate_task", theirs: "sessions_spawn", arguments: [] },
  {
    ours: "send_message",
    theirs: "send_to_wechat",
    fits: ({ platform, target }) => /^(wechat|weixin)\b/i.test(textOf(platform ?? target)),
    arguments: [],
  },
  { ours: "send_message", theirs: "send_to_telegram", arguments: [] },
];

/**
 * What other systems call our tools and their arguments. What is not in here keeps its name both ways: most arguments,
 * and the tools of MCP servers, which all of them call `mcp__<server>__<tool>`.
 */
export const TOOL_NAMES: Readonly<Record<ToolVocabulary, readonly ToolNames[]>> = {
  // Claude Code's own file tools take absolute paths only
  claude: claudeLike(absolutePath),
  clawdcode: claudeLike({}),
  starchild: STARCHILD,
};
