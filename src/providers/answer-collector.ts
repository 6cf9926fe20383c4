import type { ModelEvent } from "#src/domain/provider";

export type FinishReason = Extract<ModelEvent, { readonly type: "finish" }>["reason"];

/** One model answer while it comes in, from what one vendor's format streams. */
export interface AnswerCollector {
  take(value: unknown, event: string): void;
  /** Text and reasoning since the last call, joined: what arrives together goes on together. */
  drain(): readonly ModelEvent[];
  /** The error body that the vendor sent in place of, or amid, its answer. */
  error(): unknown;
  /** The vendor has said how the answer ends, so that nothing but its usage can be missing. */
  hasEnded(): boolean;
  /** Nothing can be missing any more. */
  isComplete(): boolean;
  /** The last events, of which the very last is a `finish` or `failed`; `isClosed` when the stream's end was marked. */
  finish(isClosed: boolean): readonly ModelEvent[];
}

/** Characters of text, reasoning and arguments of one answer: far above any answer, far below a Worker's memory. */
export const MAX_ANSWER_CHARS = 8_000_000;
