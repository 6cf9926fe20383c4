import { findInvisible } from "#src/lib/invisible-characters";

/** Stands between two entries of a memory document. */
const SEPARATOR = "\n§\n";

/** One change of a memory document, as the model asks for it. */
export interface MemoryOperation {
  readonly action: "add" | "replace" | "remove";
  readonly content?: string | undefined;
  readonly oldText?: string | undefined;
}

/** What became of the operations: the entries as they shall be, or why nothing may change. */
export type MemoryChange =
  | { readonly entries: readonly string[]; readonly notes: readonly string[] }
  | { readonly problem: string };

/** Characters of a memory document with these entries. */
export function memoryChars(entries: readonly string[]): number {
  return Array.from(entries.join(SEPARATOR)).length;
}

/** How full a document is: `67% - 1,474/2,200 chars`. */
export function memoryUsage(entries: readonly string[], maxChars: number): string {
  const chars = memoryChars(entries);
  return `${Math.round((100 * chars) / maxChars)}% - ${chars.toLocaleString("en")}/${maxChars.toLocaleString("en")} chars`;
}

/**
 * Applies all operations or none; only the final size counts. An operation that was applied before changes nothing and
 * is no problem, so that the same call may run twice.
 */
export function applyMemoryOperations(
  before: readonly string[],
  operations: readonly MemoryOperation[],
  maxChars: number,
): MemoryChange {
  let entries = before;
  const notes: string[] = [];
  for (const operation of operations) {
    const change = APPLY[operation.action](entries, operation);
    if ("problem" in change) return change;
    entries = change.entries;
    notes.push(...change.notes);
  }
  const grows = memoryChars(entries) > memoryChars(before);
  // what is over the limit already may still be cut down step by step
  if (memoryChars(entries) > maxChars && grows) {
    return {
      problem: `this would take ${memoryChars(entries)} of ${maxChars} characters; shorten, replace or remove entries first`,
    };
  }
  return { entries, notes };
}

type Apply = (entries: readonly string[], operation: MemoryOperation) => MemoryChange;

const APPLY: Readonly<Record<MemoryOperation["action"], Apply>> = { add, replace, remove };

function add(entries: readonly string[], { content }: MemoryOperation): MemoryChange {
  const entry = readEntry("add", content);
  if ("problem" in entry) return entry;
  if (entries.includes(entry.text)) return { entries, notes: ["That entry was there already."] };
  return { entries: [...entries, entry.text], notes: ["Entry added."] };
}

function replace(entries: readonly string[], { content, oldText }: MemoryOperation): MemoryChange {
  const entry = readEntry("replace", content);
  if ("problem" in entry) return entry;
  const found = findEntry("replace", entries, oldText);
  if ("problem" in found) return found;
  if (found.index === undefined && entries.includes(entry.text)) {
    return { entries, notes: ["That entry reads so already."] };
  }
  if (found.index === undefined) return { problem: `no entry contains ${JSON.stringify(oldText)}` };
  const replaced = entries.with(found.index, entry.text);
  return { entries: [...new Set(replaced)], notes: ["Entry replaced."] };
}

function remove(entries: readonly string[], { oldText }: MemoryOperation): MemoryChange {
  const found = findEntry("remove", entries, oldText);
  if ("problem" in found) return found;
  if (found.index === undefined)
    return { entries, notes: [`Nothing to remove: no entry contains ${JSON.stringify(oldText)}.`] };
  return { entries: entries.toSpliced(found.index, 1), notes: ["Entry removed."] };
}

function readEntry(
  action: string,
  content: string | undefined,
): { readonly text: string } | { readonly problem: string } {
  const text = content?.trim() ?? "";
  if (text === "") return { problem: `${action} needs content` };
  const invisible = findInvisible(text);
  if (invisible !== undefined) return { problem: `content holds the invisible character ${invisible}` };
  if (text.split("\n").some((line) => line.trim() === "§"))
    return { problem: "content may not hold a line with only §" };
  return { text };
}

function findEntry(
  action: string,
  entries: readonly string[],
  oldText: string | undefined,
): { readonly index: number | undefined } | { readonly problem: string } {
  const wanted = oldText?.trim() ?? "";
  if (wanted === "") return { problem: `${action} needs old_text: a part of the entry that no other entry has` };
  const whole = entries.indexOf(wanted);
  if (whole !== -1) return { index: whole };
  const indexes = entries.flatMap((entry, index) => (entry.includes(wanted) ? [index] : []));
  if (indexes.length <= 1) return { index: indexes[0] };
  const previews = indexes.map((index) => JSON.stringify(preview(entries[index] ?? "")));
  return {
    problem: `${indexes.length} entries contain ${JSON.stringify(oldText)}: ${previews.join(", ")}; give a longer part`,
  };
}

function preview(entry: string): string {
  return entry.length > 80 ? `${entry.slice(0, 80).toWellFormed()}…` : entry;
}
