import type { ModelFailure } from "#src/domain/provider";

/** A model's failure as the one sentence that the person reads instead of an answer. */
export function explainFailure(failure: ModelFailure): string {
  return `⚠️ I could not answer: ${failure.message}`;
}
