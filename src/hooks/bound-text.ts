import type { HookDecision } from "#src/domain/hook-event";

/** Longest text of a hook that reaches a model or a person whole, in characters. */
const MAX_HOOK_TEXT_CHARS = 10_000;

/** How much of a longer one does, with a reference to the rest. */
const KEPT_CHARS = 2000;

/** Keeps a text where it can be read again and answers with how to refer to it; undefined where nothing can be kept. */
export type Spill = (text: string) => Promise<string | undefined>;

/** The texts of an answer, each cut to what a conversation bears; the whole of a long one is kept aside. */
export async function boundDecision(decision: HookDecision, spill: Spill): Promise<HookDecision> {
  if (!hasLongText(decision)) return decision;
  const { reason, context, keepGoing, stop, notes } = decision;
  return {
    ...decision,
    ...(reason === undefined ? {} : { reason: await boundText(reason, spill) }),
    ...(context === undefined ? {} : { context: await boundText(context, spill) }),
    ...(keepGoing === undefined ? {} : { keepGoing: { message: await boundText(keepGoing.message, spill) } }),
    ...(stop?.message === undefined ? {} : { stop: { message: await boundText(stop.message, spill) } }),
    ...(notes === undefined ? {} : { notes: await Promise.all(notes.map((note) => boundText(note, spill))) }),
  };
}

async function boundText(text: string, spill: Spill): Promise<string> {
  if (text.length <= MAX_HOOK_TEXT_CHARS) return text;
  const reference = await spill(text).catch(() => undefined);
  const where = reference === undefined ? "the rest was left out" : `the whole of it: ${reference}`;
  return `${text.slice(0, KEPT_CHARS)}\n\n[cut after ${KEPT_CHARS} of ${text.length} characters; ${where}]`;
}

function hasLongText({ reason, context, keepGoing, stop, notes }: HookDecision): boolean {
  return [reason, context, keepGoing?.message, stop?.message, ...(notes ?? [])].some(
    (text) => text !== undefined && text.length > MAX_HOOK_TEXT_CHARS,
  );
}
