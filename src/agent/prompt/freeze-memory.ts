/** What the agent remembers, as one conversation is told it: written once, so that the prompt keeps its bytes. */
export interface MemorySnapshot {
  readonly memory: readonly string[];
  readonly user: readonly string[];
}

/**
 * Takes a snapshot of the two documents. An entry that must not be shown to a model (`scan` says why) is named and left
 * out: whoever wrote it there may have wanted it to speak in every conversation.
 */
export function freezeMemory(live: MemorySnapshot, scan: (text: string) => string | undefined): MemorySnapshot {
  const freeze = (entries: readonly string[]): readonly string[] =>
    entries.flatMap((entry) => {
      const text = entry.trim();
      if (text === "") return [];
      const reason = scan(text);
      return [reason === undefined ? text : `[BLOCKED: an entry contained potential prompt injection (${reason}).]`];
    });
  return { memory: freeze(live.memory), user: freeze(live.user) };
}
