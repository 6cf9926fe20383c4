import type { AnyTool } from "#src/domain/tool";

/** A named choice of tools: other toolsets, less those of some. */
interface Toolset {
  readonly includes: readonly string[];
  readonly without?: readonly string[];
}

/**
 * Toolsets made of others. What a tool itself names as its toolset needs no line here. The names are Hermes Agent's, so
 * that its users' configuration works; one whose tools are not here is empty.
 */
const TOOLSETS: Readonly<Record<string, Toolset>> = {
  core: { includes: ["terminal", "file", "code_execution", "todo", "memory", "clarify", "delegation"] },
  safe: { includes: ["todo", "clarify"] },
  debugging: { includes: ["terminal", "file"] },
  coding: { includes: ["core"] },
  // whoever can send a webhook can write its text: none of the owner's files, memory or shell
  webhook: { includes: ["clarify"] },
  "hermes-webhook": { includes: ["webhook"] },
  "hermes-acp": { includes: ["coding"], without: ["clarify"] },
  "hermes-api-server": { includes: ["core"], without: ["clarify"] },
  "hermes-gateway": { includes: ["core"] },
  "hermes-cli": { includes: ["core"] },
  "hermes-cron": { includes: ["core"] },
  "hermes-telegram": { includes: ["core"] },
  "hermes-discord": { includes: ["core"] },
  "hermes-slack": { includes: ["core"] },
  "hermes-whatsapp": { includes: ["core"] },
  "hermes-signal": { includes: ["core"] },
  "hermes-bluebubbles": { includes: ["core"] },
  "hermes-homeassistant": { includes: ["core"] },
  "hermes-email": { includes: ["core"] },
  "hermes-mattermost": { includes: ["core"] },
  "hermes-matrix": { includes: ["core"] },
  "hermes-dingtalk": { includes: ["core"] },
  "hermes-feishu": { includes: ["core"] },
  "hermes-weixin": { includes: ["core"] },
  "hermes-qqbot": { includes: ["core"] },
  "hermes-wecom": { includes: ["core"] },
  "hermes-sms": { includes: ["core"] },
};

/** Names that stand for every tool. */
const EVERYTHING: ReadonlySet<string> = new Set(["all", "*"]);

/** The tools of the named toolsets, each once, in the order of `tools`. Names that nobody knows add nothing. */
export function resolveToolsets(names: readonly string[], tools: readonly AnyTool[]): readonly AnyTool[] {
  const toolsets = new Set(names.flatMap((name) => Array.from(membersOf(name, tools, new Set()))));
  return tools.filter((tool) => toolsets.has(tool.toolset));
}

/** The tools' own toolsets that a name stands for. `seen` are the names on the way here: a circle adds nothing. */
function membersOf(name: string, tools: readonly AnyTool[], seen: ReadonlySet<string>): ReadonlySet<string> {
  if (seen.has(name)) return new Set();
  if (EVERYTHING.has(name)) return new Set(tools.map((tool) => tool.toolset));
  const own = tools.filter((tool) => tool.toolset === name).map((tool) => tool.toolset);
  const toolset = Object.hasOwn(TOOLSETS, name) ? TOOLSETS[name] : undefined;
  const through = new Set([...seen, name]);
  const all = (of: readonly string[]): string[] => of.flatMap((inner) => Array.from(membersOf(inner, tools, through)));
  const without = all(toolset?.without ?? []);
  return new Set([...own, ...all(toolset?.includes ?? [])].filter((inner) => !without.includes(inner)));
}
