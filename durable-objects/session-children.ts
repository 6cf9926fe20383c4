import { type TurnHooks, fireIfHeard } from "#src/agent/turn-hooks";
import type { ChildRecord, ChildResult, ChildTask, Delegation } from "#src/domain/delegation";
import type { TurnOrigin, TurnRecord } from "#src/domain/turn";
import { formatSessionKey, parseSessionKey } from "#src/domain/session-key";
import { wait } from "#src/lib/abortable";
import { utf8 } from "#src/lib/encoding";
import { hashWords } from "#src/lib/hash-words";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import { noteToPerson } from "./session-journal";
import { limitsOf, moneyLeft } from "./session-spending";
import type { ParentFacts } from "./session-store";
import type { RunningTurn } from "./session-turns";

/** Platform of the sessions that subagents are. */
export const SUBAGENT = "subagent";
/** Finished children that a session remembers, for `list`. */
const MAX_REMEMBERED = 50;
/** Milliseconds until a child that could not be reached is asked again; doubles up to the second figure. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** A subagent as its parent's rows keep it; `reportTo` gets the answer of one that works in the background. */
export interface StoredChild extends ChildRecord {
  readonly reportTo?: TurnOrigin;
  /** The turn that began it. */
  readonly turnId: number;
  /** US dollars that are set aside for it; absent where nothing is limited. */
  readonly budgetUsd?: number;
  /** US dollars of it that are counted among the subagents' costs. */
  readonly costUsd?: number;
  /** How often hooks did not let it stop. */
  readonly keptGoing?: number;
}

/** US dollars that subagents have cost: in all, since a conversation began, and since a turn did. */
export interface ChildCosts {
  readonly total: number;
  readonly epoch: number;
  readonly session: number;
  readonly turnId: number;
  readonly turn: number;
}

/** What a parent asks of the session that is its child. */
export interface ChildSession {
  delegate(key: string, words: string, parent: ParentFacts): Promise<unknown>;
  /** How it ended; `waits`: once nothing is left for it to do (default), or as it stands. */
  childResult(waits?: boolean): Promise<ChildResult>;
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

  function childOf(id: string): ChildSession {
    return core.childSession(childKey(core.key, id));
  }

  return {
    depthLeft,
    maxConcurrent,
    maxSummaryChars,
    idOf: (key) => hashWords(key),
    async start(task, { key, isBackground, sharers }) {
      const id = hashWords(key);
      const { goal, role } = task;
      const begun = await fireIfHeard(hooks, "subagent.start", () => ({
        parent_session_id: core.key,
        parent_turn_id: String(turn.record.id),
        child_session_id: childKey(core.key, id),
        child_role: role,
        child_goal: goal,
      }));
      noteToPerson(core, turn.record, begun.notes);
      const report = isBackground ? { reportTo: turn.record.origin } : {};
      const known = core.store.children();
      let child: StoredChild | undefined = known.find((one) => one.id === id);
      if (child === undefined) {
        const left = moneyLeft(core, turn, limitsOf(core, environment).money);
        const budget = left === undefined ? {} : { budgetUsd: left / sharers };
        const facts = { id, goal, role, isBackground, startedAt: core.now(), turnId: turn.record.id };
        child = { ...facts, status: "running", ...report, ...budget };
        // before it begins: a report of a child that nobody remembers is dropped
        const all = [...known, child].slice(-MAX_REMEMBERED);
        core.commit(() => core.store.setChildren(all));
      }
      const { hook } = turn.record.origin;
      const traced = hook === undefined ? {} : { hook };
      const budget = child.budgetUsd === undefined ? {} : { budgetUsd: child.budgetUsd };
      const parent: ParentFacts = { key: core.key, role, depthLeft, ...budget, ...report, ...traced };
      // one that is remembered may not have begun: it takes the same words once
      try {
        await childOf(id).delegate(key, wordsFor(task, begun.context), parent);
      } catch (error) {
        noteChild(core, id, { status: "failed" });
        throw error;
      }
      return { id };
    },
    async result(id, signal) {
      for (;;) {
        const result = await untilAnswered(childOf(id), signal);
        const settled = await tellChildStopped(core, hooks, id, result, turn.record);
        if (settled === undefined) {
          noteChild(core, id, { status: result.status }, result.costUsd);
          return result;
        }
        await childOf(id).heed(crypto.randomUUID(), settled);
      }
    },
    list: () =>
      core.store.children().map(({ id, goal, role, isBackground, status, startedAt }) => ({
        id,
        goal,
        role,
        isBackground,
        status,
        startedAt,
      })),
    async steer(id, message) {
      if (!core.store.children().some((child) => child.id === id)) return false;
      await childOf(id).heed(crypto.randomUUID(), message);
      noteChild(core, id, { status: "running" });
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

/** Notes where a child stands and, when it has cost more than is known of, what it has cost by now. */
export function noteChild(core: SessionCore, id: string, changes: Partial<StoredChild>, costUsd = 0): void {
  const { store } = core;
  const all = store.children();
  const child = all.find((one) => one.id === id);
  if (child === undefined) return;
  const counted = Math.max(child.costUsd ?? 0, costUsd);
  const next = { ...child, ...changes, ...(counted === 0 ? {} : { costUsd: counted }) };
  const more = counted - (child.costUsd ?? 0);
  core.commit(() => {
    store.setChildren([...all.filter((one) => one !== child), next]);
    if (more > 0) store.setChildCosts(addedCost(store.childCosts(), more, core.facts().epoch, child.turnId));
  });
}

function addedCost(known: ChildCosts | undefined, more: number, epoch: number, turnId: number): ChildCosts {
  return {
    total: (known?.total ?? 0) + more,
    epoch,
    session: (known?.epoch === epoch ? known.session : 0) + more,
    turnId,
    turn: (known?.turnId === turnId ? known.turn : 0) + more,
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

/**
 * Tells who watches that a child has ended; what a hook says to it when it must go on. How often that was is counted
 * before it is said: a hook that is never content comes to its cap whatever happens in between.
 */
export async function tellChildStopped(
  core: SessionCore,
  hooks: TurnHooks,
  id: string,
  result: ChildResult,
  about: Pick<TurnRecord, "id" | "origin">,
): Promise<string | undefined> {
  const child = core.store.children().find((one) => one.id === id);
  const attempt = child?.keptGoing ?? 0;
  const settled = await fireIfHeard(hooks, "subagent.stop", () => ({
    parent_session_id: core.key,
    child_session_id: childKey(core.key, id),
    child_role: child?.role ?? null,
    ...(child === undefined ? {} : { parent_turn_id: String(child.turnId), child_goal: child.goal }),
    child_summary: result.summary,
    child_status: result.status,
    duration_ms: result.durationMs,
    stop_hook_active: attempt > 0,
    attempt,
  }));
  noteToPerson(core, about, settled.notes);
  // what a person stopped stays stopped
  const message = result.status === "interrupted" ? undefined : settled.keepGoing?.message;
  if (message !== undefined) noteChild(core, id, { keptGoing: attempt + 1 });
  return message;
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
