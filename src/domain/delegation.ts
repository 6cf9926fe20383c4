import type { JsonObject } from "./json";

/** What a subagent is asked to do. */
export interface ChildTask {
  readonly goal: string;
  /** What it has to know: it sees nothing of the conversation. */
  readonly context?: string;
  /** `orchestrator`: may delegate in its turn, as deep as the operator allows. */
  readonly role: "leaf" | "orchestrator";
  /** JSON Schema that its answer has to fit. */
  readonly outputSchema?: JsonObject;
}

/** How a subagent ended. */
export interface ChildResult {
  readonly status: "completed" | "failed" | "interrupted";
  /** Its last words. */
  readonly summary: string;
  readonly durationMs: number;
  /** US dollars that it and its own subagents have cost so far. */
  readonly costUsd: number;
}

/** A subagent as its parent knows it. */
export interface ChildRecord {
  readonly id: string;
  readonly goal: string;
  readonly role: ChildTask["role"];
  readonly isBackground: boolean;
  readonly status: "running" | ChildResult["status"];
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** What a session can do with its subagents. */
export interface Delegation {
  /** How many generations may still come after this session's children. */
  readonly depthLeft: number;
  /** Children that may run at the same time. */
  readonly maxConcurrent: number;
  /** Characters of a child's answer that the parent reads. */
  readonly maxSummaryChars: number;
  /** The id that a key stands for: known before the child is. */
  idOf(key: string): string;
  /**
   * Starts a child, or finds the one that was started under the same key. In the background its answer comes as a
   * message of its own, once. `sharers`: how many of its batch are still to start, with itself; what money is left is
   * for all of them.
   */
  start(
    task: ChildTask,
    options: { readonly key: string; readonly isBackground: boolean; readonly sharers: number },
  ): Promise<{ readonly id: string }>;
  /** Waits for a child's answer, through crashes of either side; stops it when the signal fires. */
  result(id: string, signal: AbortSignal): Promise<ChildResult>;
  list(): readonly ChildRecord[];
  /** Adds a word to what a child is doing. False when it does not run. */
  steer(id: string, message: string): Promise<boolean>;
  stop(id: string): Promise<boolean>;
  /** Keeps what is too long to read, and resolves with where it can be read. */
  spill(key: string, text: string): Promise<string>;
}
