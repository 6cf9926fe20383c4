import type { TurnHooks } from "#src/agent/turn-hooks";
import type { Message, ToolResult } from "#src/domain/message";
import type { AnyTool, MemoryStore, ToolContext } from "#src/domain/tool";
import { utf8 } from "#src/lib/encoding";
import { wrapUntrusted } from "#src/safety/wrap-untrusted";
import type { Environment } from "./environment";
import { SUBAGENT, delegationOf } from "./session-children";
import type { SessionCore } from "./session-core";
import { noteToPerson } from "./session-journal";
import type { RunningTurn } from "./session-turns";

/** A subagent has nobody to ask, and leaves memory and chats to its parent. Source: hermes.md, section 7. */
const NOT_FOR_CHILDREN: ReadonlySet<string> = new Set(["clarify", "memory", "send_message", "cronjob"]);

/** What only a real shell can do. */
const NEEDS_SHELL: ReadonlySet<string> = new Set(["process", "execute_code"]);

/** The tools of a turn, by where it came from. */
export function toolsOf(core: SessionCore, environment: Environment, turn: RunningTurn): readonly AnyTool[] {
  const { parent } = core.facts();
  const tools = environment.toolsFor(parent === undefined ? turn.record.origin.platform : SUBAGENT);
  const mayDelegate = parent === undefined || (parent.role === "orchestrator" && parent.depthLeft > 0);
  return tools.filter(
    (tool) =>
      (environment.hasSidecar || !NEEDS_SHELL.has(tool.name)) &&
      (parent === undefined || !NOT_FOR_CHILDREN.has(tool.name)) &&
      (mayDelegate || tool.name !== "delegate_task"),
  );
}

/** What a running tool may use. */
export function toolContext(
  core: SessionCore,
  turn: RunningTurn,
  environment: Environment,
  hooks: TurnHooks,
  callId: string,
  signal: AbortSignal,
): ToolContext {
  const delegation = delegationOf(core, turn, environment, hooks);
  return {
    ...(delegation === undefined ? {} : { delegation }),
    // ids are unique within a conversation as the model wrote them; the turn makes them unique for ever
    callKey: `${core.key}#${turn.record.id}#${callId}`,
    sessionKey: core.key,
    signal,
    now: core.now,
    workspace: core.workspace(),
    memory: watchedMemory(core.memory(), hooks),
    ...shapeOutput(hooks, (notes) => noteToPerson(core, turn.record, notes)),
    onProgress: showProgress(core, turn, callId),
    todos: { read: () => core.store.todos(), write: (items) => core.store.setTodos(items) },
  };
}

/** Milliseconds between two looks at what a command prints, and until the first one. */
const PROGRESS_MS = 1000;
const FIRST_PROGRESS_MS = 5000;
/** Characters of it that are shown. */
const PROGRESS_CHARS = 600;

/** Shows people the latest of what a long command prints, until there is an answer to show. */
function showProgress(core: SessionCore, turn: RunningTurn, callId: string): (text: string) => void {
  let nextAt = core.now() + FIRST_PROGRESS_MS;
  return (text) => {
    if (core.now() < nextAt) return;
    nextAt = core.now() + PROGRESS_MS;
    const shown = turn.showable(text.slice(-PROGRESS_CHARS));
    core.hub.send({ type: "progress", turn_id: String(turn.record.id), call_id: callId, text: shown });
    if (turn.text === "" && !turn.isHidden) turn.growing?.grow(`⏳\n\`\`\`\n${shown}\n\`\`\``);
  };
}

/** Memory, whose changes are told to those who watch. */
function watchedMemory(memory: MemoryStore, hooks: TurnHooks): MemoryStore {
  if (!hooks.listens("memory.write")) return memory;
  return {
    read: (target) => memory.read(target),
    async write(target, entries, expected) {
      await memory.write(target, entries, expected);
      await hooks.fire("memory.write", { key: target, value: entries.join("\n§\n") });
    },
  };
}

/** Lets hooks see what a command printed before it is cut. */
function shapeOutput(hooks: TurnHooks, notify: (notes: readonly string[]) => void): Pick<ToolContext, "shapeOutput"> {
  if (!hooks.listens("tool.output")) return {};
  return {
    async shapeOutput({ command, output, exitCode, cwd }) {
      const settled = await hooks.fire("tool.output", { command, output, exit_code: exitCode, cwd });
      notify(settled.notes);
      return settled.text ?? output;
    },
  };
}

/** Keeps a result that is too long to read where the model can read it. */
export async function spill(core: SessionCore, turnId: number, result: ToolResult): Promise<string> {
  // ids of calls may come again in another turn
  const name = `${turnId}-${result.callId.replaceAll(/[^\w-]/g, "_")}`;
  const path = `/workspace/.talaria/results/${name}.txt`;
  await core.workspace().writeFile(path, utf8(result.content), `${core.key}#spill#${name}`);
  return path;
}

const schemaSizes = new WeakMap<AnyTool, number>();

/** Characters of the tools' schemas: written out once for each tool. */
export function schemaChars(tools: readonly AnyTool[]): number {
  let sum = 0;
  for (const tool of tools) {
    let size = schemaSizes.get(tool);
    if (size === undefined) {
      size = JSON.stringify(tool.parameters).length + tool.description.length;
      schemaSizes.set(tool, size);
    }
    sum += size;
  }
  return sum;
}

/** Toolsets whose results were written by strangers: pages, other servers. Source: hermes.md, section 2. */
const FOREIGN = /^(?:web|search|browser|mcp-)/;

/** Results as a model may read them: without secrets, and what strangers wrote marked as theirs. */
export function readableResults(
  results: readonly ToolResult[],
  rows: readonly Message[],
  toolOf: (name: string) => AnyTool | undefined,
  { redaction }: Environment,
): readonly ToolResult[] {
  const calls = rows.findLast((row) => row.toolCalls !== undefined)?.toolCalls ?? [];
  return results.map((given) => {
    const call = calls.find(({ id }) => id === given.callId);
    const result = redaction.result(given, call);
    const isForeign = FOREIGN.test(toolOf(result.name)?.toolset ?? "");
    return isForeign ? { ...result, content: wrapUntrusted(result.name, result.content) } : result;
  });
}
