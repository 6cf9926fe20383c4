import type { TranscriptMessage } from "#src/domain/live";
import { toTranscript } from "./live-hub";
import type { SessionCore } from "./session-core";

/** Messages of a transcript page at the most. */
const MAX_PAGE = 1_000;

/** A page of the transcript: after a message, or the newest ones before one. */
export interface TranscriptPage {
  readonly after?: string;
  readonly before?: string;
  readonly limit?: number;
  /** Only of the conversation that is going on. */
  readonly current?: boolean;
}

/** A page of the transcript, oldest first. */
export function readTranscript(core: SessionCore, page: TranscriptPage): TranscriptMessage[] {
  if (!core.store.exists()) return [];
  return core.store
    .transcript({
      limit: Math.min(Math.max(1, page.limit ?? 500), MAX_PAGE),
      ...(page.after === undefined ? {} : { after: rowOf(page.after) }),
      ...(page.before === undefined ? {} : { before: rowOf(page.before) }),
      ...(page.current === true ? { epoch: core.facts().epoch } : {}),
    })
    .flatMap(toTranscript);
}

/** The row of a transcript id: `12.1` is of row 12. */
function rowOf(id: string): number {
  const row = Number.parseInt(id, 10);
  return Number.isSafeInteger(row) && row > 0 ? row : 0;
}
