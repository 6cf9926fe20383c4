import type { ModelEvent, ModelFailure, ModelRequest } from "#src/domain/provider";
import type { AnswerCollector } from "./answer-collector";
import { createAnswerCollector } from "./collect-answer";
import { createStreamDecoder, type StreamItem } from "./decode-stream";
import { ABORTED, failureSentence, invalidResponse, toModelFailure } from "./model-failure";
import type { CallWatch, GivenUp } from "./watch-call";

/** What is needed to read the answer to a request, and to say who failed. */
export interface AnswerSource {
  readonly request: ModelRequest;
  readonly watch: CallWatch;
  /** The vendor as a person knows it. */
  readonly who: string;
}

/** Milliseconds that a vendor has for its usage and end mark after it said how the answer ends. */
const END_GRACE_MS = 3000;
/** Milliseconds that a finished response may take to close, so that its connection can serve the next call. */
const CLOSE_GRACE_MS = 1000;

/**
 * Reads one answer from a response body, ending with exactly one `finish` or `failed`. Never throws. The collector
 * knows the vendor's format; that of Chat Completions when absent.
 */
export async function* readAnswer(
  body: ReadableStream<Uint8Array>,
  source: AnswerSource,
  answer: AnswerCollector = createAnswerCollector(source.request, source.who),
): AsyncGenerator<ModelEvent> {
  const { watch } = source;
  const decoder = createStreamDecoder();
  const reader = body.getReader();
  // a cancelled reader answers its pending read at once, also where the body itself does not hear of the signal
  const onGivenUp = (): void => cancel(reader);
  watch.signal.addEventListener("abort", onGivenUp, { once: true });
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (watch.givenUp() !== undefined) return yield* endOf(answer, source);
      const items = done ? decoder.end() : decoder.decode(value);
      watch.heard(items.length > 0);
      const last = takeItems(items, answer, source);
      for (const event of answer.drain()) yield event;
      isWhole = done || last === "done";
      if (typeof last === "object") return yield last;
      if (isWhole) return yield* answer.finish(last === "done");
      if (answer.hasEnded()) watch.endWithin(END_GRACE_MS);
    }
  } catch (cause) {
    if (answer.hasEnded()) yield* answer.finish(true);
    else yield brokenOff(source, cause);
  } finally {
    watch.signal.removeEventListener("abort", onGivenUp);
    if (isWhole) void letClose(reader);
    else cancel(reader);
  }
}

/** Reads an answer that came as one value. */
export function* readWholeAnswer(value: unknown, source: AnswerSource): Generator<ModelEvent> {
  const answer = createAnswerCollector(source.request, source.who);
  const last = takeItems([{ type: "value", value, event: "" }], answer, source);
  yield* answer.drain();
  if (typeof last === "object") yield last;
  else yield* answer.finish(true);
}

/** The failure of a call that was given up from our side. */
export function givenUpFailure(why: GivenUp, who: string): ModelFailure {
  if (why === "aborted") return ABORTED;
  if (why === "timeout")
    return { reason: "timeout", retryable: true, message: failureSentence("timeout", { provider: who }) };
  return { reason: "timeout", retryable: true, message: `${who} stopped in the middle of its answer.` };
}

/** Takes items in; "done" at the mark or the event of the end, an event when the answer cannot go on. */
function takeItems(
  items: readonly StreamItem[],
  answer: AnswerCollector,
  source: AnswerSource,
): ModelEvent | "done" | undefined {
  for (const item of items) {
    if (item.type === "done") return "done";
    if (item.type === "invalid") return { type: "failed", failure: invalidResponse(source.who) };
    answer.take(item.value, item.event);
    const error = answer.error();
    if (error !== undefined) return { type: "failed", failure: vendorError(error, source) };
    if (answer.isComplete()) return "done";
  }
  return undefined;
}

function endOf(answer: AnswerCollector, { watch, who }: AnswerSource): readonly ModelEvent[] {
  const why = watch.givenUp() ?? "aborted";
  if (why !== "aborted" && answer.hasEnded()) return answer.finish(true);
  return [{ type: "failed", failure: givenUpFailure(why, who) }];
}

function brokenOff({ watch, who }: AnswerSource, cause: unknown): ModelEvent {
  const why = watch.givenUp();
  if (why !== undefined) return { type: "failed", failure: givenUpFailure(why, who) };
  const message = cause instanceof Error ? cause.message : "";
  return {
    type: "failed",
    failure: toModelFailure({ provider: who, message, errorType: "ConnectionError" }, Date.now()),
  };
}

function vendorError(body: unknown, { request, who }: AnswerSource): ModelFailure {
  return toModelFailure({ provider: who, model: request.model, body }, Date.now());
}

function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined);
}

async function letClose(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => cancel(reader), CLOSE_GRACE_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    cancel(reader);
  } finally {
    clearTimeout(timer);
  }
}
