import { type ContextFilePorts, collectContextFiles, readSoul } from "#src/agent/prompt/collect-context-files";
import { composePrompt } from "#src/agent/prompt/compose-prompt";
import { contextFileChars } from "#src/agent/prompt/cut-context";
import { freezeMemory } from "#src/agent/prompt/freeze-memory";
import { DEFAULT_IDENTITY } from "#src/agent/prompt/guidance";
import { platformHint } from "#src/agent/prompt/platform-hints";
import { type TurnHooks, fireIfHeard } from "#src/agent/turn-hooks";
import type { AnyTool } from "#src/domain/tool";
import type { ChosenModel } from "#src/providers/choose-provider";
import { decodeUtf8 } from "#src/lib/encoding";
import { scanForThreats } from "#src/safety/scan-threats";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** Where the agent works, and where its project's files are looked for. */
const WORKSPACE = "/workspace";
/** Names looked at in one folder. */
const MAX_NAMES = 1000;

/** The conversation's prompt: written once, then the same bytes until the next conversation or model. */
export async function systemPrompt(
  core: SessionCore,
  turn: RunningTurn,
  tools: readonly AnyTool[],
  chosen: ChosenModel,
  hooks: TurnHooks,
): Promise<string> {
  const { epoch } = core.facts();
  const kept = core.store.prompt(epoch, chosen.model);
  if (kept !== undefined) return kept;
  const text = await writePrompt(core, turn, tools, chosen, hooks);
  core.store.setPrompt(epoch, chosen.model, text);
  return text;
}

async function writePrompt(
  core: SessionCore,
  turn: RunningTurn,
  tools: readonly AnyTool[],
  chosen: ChosenModel,
  hooks: TurnHooks,
): Promise<string> {
  const environment = await core.environment();
  const toolNames = tools.map((tool) => tool.name);
  const { platform } = turn.record.origin;
  const scanAs = (scope: "context" | "strict") => (text: string) => scanForThreats(text, scope)[0]?.id;
  const [memory, files, soul] = await Promise.all([
    readMemory(core, toolNames),
    readFiles(core, toolNames, chosen, scanAs("context")),
    readPersona(core, environment, toolNames, chosen, scanAs("context")),
  ]);
  for (const file of files) {
    await fireIfHeard(hooks, "instructions.loaded", () => ({
      file_path: file.path,
      memory_type: "Project",
      load_reason: "session_start",
      blocked: file.isBlocked,
    }));
  }
  return composePrompt({
    identity: environment.agent.persona || soul || DEFAULT_IDENTITY,
    toolNames,
    model: chosen.model,
    toolUse: "auto",
    environment: toolNames.includes("terminal") ? environment.shellHints : [],
    platformHint: platformHint(platform, environment.adapterOf(platform)?.promptHint),
    contextFiles: files,
    memory: freezeMemory(memory, scanAs("strict")),
    sections: [],
    startedAt: core.facts().epochStartedAt,
    timeZone: environment.timeZone,
    platform,
  });
}

/** A turn without the tool has no business with what it holds. */
async function readMemory(core: SessionCore, toolNames: readonly string[]) {
  if (!toolNames.includes("memory")) return { memory: [], user: [] };
  const store = core.memory();
  const [memory, user] = await Promise.all([store.read("memory"), store.read("user")]);
  return { memory, user };
}

async function readFiles(core: SessionCore, toolNames: readonly string[], chosen: ChosenModel, scan: Scan) {
  if (!toolNames.includes("read_file")) return [];
  const maxChars = contextFileChars(chosen.metadata.contextTokens);
  return collectContextFiles({ cwd: WORKSPACE, root: WORKSPACE, maxChars }, filePorts(core, scan));
}

async function readPersona(
  core: SessionCore,
  environment: Environment,
  toolNames: readonly string[],
  chosen: ChosenModel,
  scan: Scan,
) {
  if (!toolNames.includes("read_file") || environment.agent.persona !== "") return undefined;
  return readSoul(WORKSPACE, contextFileChars(chosen.metadata.contextTokens), filePorts(core, scan));
}

/** Why a text must not be shown to a model, in a word or two. */
type Scan = ContextFilePorts["scan"];

function filePorts(core: SessionCore, scan: Scan): ContextFilePorts {
  return {
    async read(path) {
      const bytes = await core
        .workspace()
        .readFile(path)
        .catch(() => undefined);
      return bytes === undefined ? undefined : decodeUtf8(bytes);
    },
    list: async (folder) =>
      (await core.workspace().list(folder, MAX_NAMES)).filter((stat) => !stat.isDirectory).map((stat) => stat.path),
    scan,
  };
}
