import { type TurnHooks, fireIfHeard } from "#src/agent/turn-hooks";
import type { ChildResult, ChildTask, Delegation } from "#src/domain/delegation";
import { formatSessionKey, parseSessionKey } from "#src/domain/session-key";
import { wait } from "#src/lib/abortable";
import { utf8 } from "#src/lib/encoding";
import { hashWords } from "#src/lib/hash-words";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { ParentFacts, StoredChild } from "./session-store";
import type { RunningTurn } from "./session-turns";

/** Platform of the sessions that subagents are. */
export const SUBAGENT = "subagent";
/** Finished children that a session remembers, for `list`. */
const MAX_REMEMBERED = 50;
/** Milliseconds until a child that could not be reached is asked again; doubles up to the second figure. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** What a parent asks of the session that is its child. */
export interface ChildSession {
  delegate(key: string, words: string, parent: ParentFacts): Promise<unknown>;
  childResult(): Promise<ChildResult>;
  heed(id: string, words: string): Promise<void>;
  stopTurn(): Promise<boolean>;
}

/** The subagents of one turn's session; undefined where it may have none. */
export function delegationOf(
  core: SessionCore,
  turn: RunningTurn,
  environment: Environment,
  hooks: TurnHooks,
): Delegation | undefined {
  const { parent } = core.facts();
  const { maxDepth, maxConcurrent, maxSummaryChars } = environment.delegation;
  const depthLeft = (parent?.depthLeft ?? maxDepth) - 1;
  if (depthLeft < 0 || (parent !== undefined && parent.role !== "orchestrator")) return undefined;

  function remember(id: string, changes: Partial<StoredChild>): void {
    core.commit(() => {
      const others = core.store.children().filter((child) => child.id !== id);
      const known = core.store.children().find((child) => child.id === id);
      if (known === undefined && changes.goal === undefined) return;
      // a new one brings all of its fields
      const next = { ...known, ...changes, id } as StoredChild;
      core.store.setChildren([...others, next].slice(-MAX_REMEMBERED));
    });
  }

  function childOf(id: string): ChildSession {
    return core.childSession(childKey(core.key, id));
  }

  async function told(id: string, result: ChildResult): Promise<void> {
    const child = core.store.children().find((one) => one.id === id);
    if (child?.status !== "running") return;
    remember(id, { status: result.status });
  }

  return {
    depthLeft,
    maxConcurrent,
    maxSummaryChars,
    idOf: (key) => hashWords(key),
    async start(task, { key, isBackground }) {
      const id = hashWords(key);
      if (core.store.children().some((child) => child.id === id)) return { id };
      const begun = await fireIfHeard(hooks, "subagent.start", () => ({
        child_session_id: childKey(core.key, id),
        subagent_id: id,
        agent_type: task.role,
        goal: task.goal,
      }));
      const words = wordsFor(task, begun.context);
      const { hook } = turn.record.origin;
      const report = isBackground ? { reportTo: turn.record.origin } : {};
      const traced = hook === undefined ? {} : { hook };
      await childOf(id).delegate(key, words, { key: core.key, role: task.role, depthLeft, ...report, ...traced });
      const { goal, role } = task;
      remember(id, { goal, role, isBackground, status: "running", startedAt: core.now(), ...report });
      return { id };
    },
    async result(id, signal) {
      for (;;) {
        const result = await untilAnswered(childOf(id), signal);
        const settled = await tellChildStopped(core, hooks, id, result);
        if (settled === undefined) {
          await told(id, result);
          return result;
        }
        await childOf(id).heed(crypto.randomUUID(), settled);
      }
    },
    list: () => core.store.children(),
    async steer(id, message) {
      if (!core.store.children().some((child) => child.id === id)) return false;
      await childOf(id).heed(crypto.randomUUID(), message);
      remember(id, { status: "running" });
      return true;
    },
    async stop(id) {
      const child = core.store.children().find((one) => one.id === id);
      return child?.status === "running" && (await childOf(id).stopTurn());
    },
    async spill(key, text) {
      const path = `/workspace/.talaria/results/${hashWords(key)}.txt`;
      await core.workspace().writeFile(path, utf8(text), `${core.key}#child#${key}`);
      return path;
    },
  };
}

/** Session of a child: of the parent's profile, and of nobody else. */
export function childKey(parentKey: string, id: string): string {
  const profile = parseSessionKey(parentKey)?.profile ?? "main";
  return formatSessionKey({ profile, platform: SUBAGENT, chatType: "dm", chatId: id });
}

function wordsFor(task: ChildTask, more: string | undefined): string {
  const schema =
    task.outputSchema === undefined
      ? undefined
      : `Answer with JSON alone that fits this JSON Schema:\n${JSON.stringify(task.outputSchema)}`;
  return [task.goal, task.context === undefined ? undefined : `Context:\n${task.context}`, more, schema]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");
}

/** Tells who watches that a child has ended; what a hook says to it when it must go on. */
export async function tellChildStopped(
  core: SessionCore,
  hooks: TurnHooks,
  id: string,
  result: ChildResult,
): Promise<string | undefined> {
  const settled = await fireIfHeard(hooks, "subagent.stop", () => ({
    parent_session_id: core.key,
    child_session_id: childKey(core.key, id),
    subagent_id: id,
    child_role: core.store.children().find((child) => child.id === id)?.role ?? null,
    child_summary: result.summary,
    child_status: result.status,
    duration_ms: result.durationMs,
  }));
  return settled.keepGoing?.message;
}

/** Waits for a child's answer. A crash of its object only means that it has to be asked again. */
async function untilAnswered(child: ChildSession, signal: AbortSignal): Promise<ChildResult> {
  const stop = (): void => void child.stopTurn().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let afterMs = RETRY_MS; ; afterMs = Math.min(2 * afterMs, MAX_RETRY_MS)) {
      try {
        return await child.childResult();
      } catch {
        await wait(afterMs, signal);
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
