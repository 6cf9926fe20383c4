import type { ContextFile } from "./collect-context-files";
import type { MemorySnapshot } from "./freeze-memory";
import { type ToolUseSetting, WORKING_GUIDANCE, familyGuidance, toolGuidance } from "./guidance";

/** What a conversation's system prompt is made of. Plain data: the same parts always give the same bytes. */
export interface PromptParts {
  /** Who the agent is: the operator's words, SOUL.md, or the default. */
  readonly identity: string;
  readonly toolNames: readonly string[];
  readonly model: string;
  readonly toolUse: ToolUseSetting;
  /** What the tools work on: the virtual shell, a container, no network. */
  readonly environment: readonly string[];
  /** How to write where the answer is read. */
  readonly platformHint: string;
  /** What the operator or a client adds for this conversation. */
  readonly system?: string;
  readonly contextFiles: readonly ContextFile[];
  /** The skills that there are, a line each. */
  readonly skillsIndex?: string;
  readonly memory: MemorySnapshot;
  /** What other memories and plugins add. */
  readonly sections: readonly string[];
  /** Epoch milliseconds at which the conversation began: only its day is told. */
  readonly startedAt: number;
  /** IANA name, e.g. `Europe/Vienna`. */
  readonly timeZone: string;
  readonly provider?: string;
  readonly platform: string;
}

/** A prompt in three parts, by how long each stays the same: for all conversations, for a project, for one of them. */
export interface PromptTiers {
  readonly stable: string;
  readonly context: string;
  readonly volatile: string;
}

/** Writes the tiers of a prompt. */
export function promptTiers(parts: PromptParts): PromptTiers {
  const { toolNames, memory } = parts;
  const hasTools = toolNames.length > 0;
  return {
    stable: join([
      parts.identity,
      ...(hasTools ? [WORKING_GUIDANCE, toolGuidance(toolNames).join("\n")] : []),
      ...(hasTools ? familyGuidance(parts.model, parts.toolUse) : []),
      ...(hasTools ? parts.environment : []),
      parts.platformHint,
    ]),
    context: join([parts.system ?? "", contextBlock(parts.contextFiles)]),
    volatile: join([
      parts.skillsIndex ?? "",
      memoryBlock("MEMORY (your notes)", memory.memory),
      memoryBlock("USER (what you know of the person)", memory.user),
      ...parts.sections,
      facts(parts),
    ]),
  };
}

/** Writes the whole prompt: what changes least stands first, so that providers find most of it in their caches. */
export function composePrompt(parts: PromptParts): string {
  const { stable, context, volatile } = promptTiers(parts);
  return join([stable, context, volatile]);
}

function join(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

function contextBlock(files: readonly ContextFile[]): string {
  if (files.length === 0) return "";
  const texts = files.map(({ path, text }) => `## ${path.replaceAll(/\p{Cc}/gu, "")}\n${text}`);
  return ["# Project context\nThe files of the project you work in say this to agents:", ...texts].join("\n\n");
}

function memoryBlock(title: string, entries: readonly string[]): string {
  if (entries.length === 0) return "";
  return `${title}:\n${entries.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

function facts({ startedAt, timeZone, model, provider = "", platform }: PromptParts): string {
  const lines = [
    `Conversation started: ${day(startedAt, timeZone)} (${timeZone}, ${offset(startedAt, timeZone)})`,
    model === "" ? "" : `Model: ${model}`,
    provider === "" ? "" : `Provider: ${provider}`,
    `Platform: ${platform}`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function day(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-US", {
    weekday: "long",
    year: "numeric",
    month: "long",
    day: "2-digit",
    timeZone,
  }).format(at);
}

/** How far a zone's clock is from UTC, e.g. `UTC+02:00`. */
function offset(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(at);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  return name === "GMT" ? "UTC+00:00" : name.replace("GMT", "UTC");
}
