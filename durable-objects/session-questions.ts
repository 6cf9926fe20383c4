import type { ToolCall } from "#src/domain/message";
import type { Question } from "#src/domain/tool";
import type { Waiting } from "#src/domain/turn";
import type { LiveQuestion } from "#src/domain/live";
import { abortable } from "#src/lib/abortable";
import { liveQuestion } from "./session-accept";
import type { SessionCore } from "./session-core";
import { journalOf } from "./session-journal";
import type { RunningTurn } from "./session-turns";

/** Milliseconds that a question of the agent waits for its answer. */
export const QUESTION_TIMEOUT_MS = 60 * 60_000;

/** The question that a turn waits on, as the operator's API shows it. */
export interface OpenQuestion extends LiveQuestion {
  /** It asks for leave to run a call. */
  readonly approval: boolean;
  /** ISO 8601. */
  readonly expires_at: string;
}

export function openQuestion(turn: RunningTurn | undefined): { readonly question?: OpenQuestion } {
  const waiting = turn?.record.waiting;
  if (turn === undefined || waiting === undefined || waiting.answer !== undefined) return {};
  const expires_at = new Date(waiting.expiresAt).toISOString();
  return { question: { ...liveQuestion(turn.record.id, waiting), approval: waiting.isApproval === true, expires_at } };
}

/**
 * Parks the turn: the question is committed with what is owed to the platform, and so is its answer when it comes.
 * Resolves undefined when nobody answered in time.
 */
export async function askPerson(
  core: SessionCore,
  turn: RunningTurn,
  call: ToolCall,
  question: Question,
  options: { readonly timeoutMs: number; readonly isApproval?: true },
): Promise<string | undefined> {
  const journal = journalOf(core, turn);
  turn.doing = "waiting for an answer";
  if (turn.record.waiting?.callId !== call.id) {
    const askedAt = core.now();
    const approval = options.isApproval === true ? { isApproval: true as const } : {};
    const waiting: Waiting = {
      callId: call.id,
      question,
      askedAt,
      expiresAt: askedAt + options.timeoutMs,
      ...approval,
    };
    journal.commitWaiting(waiting);
    if (turn.growing?.record() !== undefined) {
      turn.growing = await core.deliveries.grow(turn.record.id, turn.record.origin, false);
    }
  }
  const { waiting: parked } = turn.record;
  const noted = options.isApproval === true ? core.noteWaiting(true) : undefined;
  core.hub.question(turn.record.id, parked === undefined ? undefined : liveQuestion(turn.record.id, parked));
  try {
    for (;;) {
      const { waiting } = turn.record;
      if (waiting?.answer !== undefined) return waiting.answer;
      if (waiting === undefined || core.now() >= waiting.expiresAt) return undefined;
      await abortable(turn.control.waitForWake(), turn.control.stopped);
    }
  } finally {
    core.hub.question(turn.record.id, undefined);
    if (noted !== undefined) core.keepAlive(noted.then(() => core.noteWaiting(false)));
  }
}
