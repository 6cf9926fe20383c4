import type { HookLogEntry } from "#src/domain/hook";
import { type HookFlag, type HookInventory, type HookRow, flagOfEntry, listHooks } from "./list-hooks";
import type { KnownHook } from "./approvals";
import type { HookTrial } from "./try-hook";

/** What doctor found out about one hook. */
export interface HookExamination {
  readonly row: HookRow;
  /** What is worth a look, by the list and by trying it out. */
  readonly flags: readonly HookFlag[];
  /** How long it took to answer, in milliseconds; absent for one that was not tried. */
  readonly tookMs?: number;
}

export interface Examination {
  readonly hooks: readonly HookExamination[];
  /** Entries of the configuration that became no hook. */
  readonly unread: readonly HookFlag[];
}

/**
 * Examines hooks one after the other: where they stand, and for those that may run what they answer to a made-up event.
 * `tryOut` goes the way that real events go.
 */
export async function examineHooks(
  inventory: HookInventory,
  tryOut: (known: KnownHook) => Promise<HookTrial>,
  id?: string,
): Promise<Examination> {
  const hooks: HookExamination[] = [];
  for (const row of listHooks(inventory).filter((one) => id === undefined || one.id === id)) {
    const known = inventory.known.find(({ hook }) => hook.id === row.id);
    const trial = row.status === "active" && known !== undefined ? await tryOut(known) : undefined;
    const found = (trial?.log ?? []).filter(({ level }) => level !== "debug").map(flagOfEntry);
    const tookMs = trial?.result?.durationMs;
    hooks.push({ row, flags: [...row.flags, ...found], ...(tookMs === undefined ? {} : { tookMs }) });
  }
  return { hooks, unread: id === undefined ? unreadEntries(inventory) : [] };
}

function unreadEntries({ importLog, known }: HookInventory): readonly HookFlag[] {
  const read = new Set(known.map(({ hook }) => hook.id));
  const isUnread = ({ level, hook }: HookLogEntry): boolean =>
    level !== "debug" && (hook === undefined || !read.has(hook));
  return importLog.filter(isUnread).map(flagOfEntry);
}
