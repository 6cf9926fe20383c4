import { ApiError } from "../shared/api";
import { isAtDoor } from "../shared/door";
import { $ } from "../shared/elements";
import { read, readAudit, readHook, readList, readRuns } from "./api";
import { changed, details, isWaiting, open, shown, state } from "./state";
import type { HookList, HookRow } from "./wire";

/** Milliseconds between two looks at what changed, while somebody looks. */
const LOOK_MS = 4000;
/** Milliseconds between two looks at what costs more to find out: circuits, and what is owed. */
const HEALTH_MS = 30_000;

interface Look {
  /** All is read again, whatever the version says. */
  readonly isWhole?: boolean;
}

/** Counts the looks: one that another one overtook is void. */
let looks = 0;
let timer = 0;
let healthAt = 0;

/** Reads what has changed, and looks again after a while as long as somebody looks. */
export async function look({ isWhole = false }: Look = {}): Promise<void> {
  looks += 1;
  const turn = looks;
  const isOvertaken = (): boolean => turn !== looks;
  clearTimeout(timer);
  try {
    const { list, etag } = await readList();
    const { runs } = await readRuns();
    const isUnread = list.hooks.some((row) => isWaiting(row) && !shown.has(row.id));
    const isChanged = isWhole || isUnread || etag !== state.etag || state.list === undefined;
    const rest = isChanged ? await readChanged(list) : {};
    if (isOvertaken()) return;
    Object.assign(state, { etag, list, runs }, rest);
    for (const id of shown.keys()) if (!list.hooks.some((row) => row.id === id && isWaiting(row))) shown.delete(id);
    changed();
    if (isWhole || Date.now() - healthAt > HEALTH_MS) await readHealth();
    showFresh("open", "Up to date");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const what = error.status === 0 ? "Not connected." : error.message;
    if (!isOvertaken()) showFresh("closed", `${what} What you see is how it was; trying again…`);
  }
  if (isOvertaken()) return;
  changed();
  if (!document.hidden && !isAtDoor()) timer = setTimeout(() => void look(), LOOK_MS);
}

/** Looks no more until the next {@link look}. */
export function stopLooking(): void {
  clearTimeout(timer);
}

/** Reads all of a hook. */
export async function readDetail(row: HookRow): Promise<void> {
  const detail = await readHook(row.id);
  if (detail === undefined) return;
  details.set(row.id, detail);
  if (isWaiting(row) && !shown.has(row.id)) shown.set(row.id, detail);
}

/** What only changes with the hooks: approvals, the trail, and all of those that are looked at. */
async function readChanged({ hooks }: HookList): Promise<Partial<typeof state>> {
  const wanted = hooks.filter((row) => isWaiting(row) || open.has(row.id));
  const [{ approvals }, { audit }, { modules }, { events }] = await Promise.all([
    read("/approvals"),
    readAudit(),
    read("/modules"),
    state.events === undefined ? read("/events") : { events: state.events },
    ...wanted.map(readDetail),
  ]);
  return { approvals, audit, modules, events };
}

async function readHealth(): Promise<void> {
  healthAt = Date.now();
  const [{ open_circuits }, { deliveries }] = await Promise.all([read("/status"), read("/deliveries")]);
  Object.assign(state, { circuits: open_circuits, deliveries } satisfies Partial<typeof state>);
}

function showFresh(connection: "open" | "closed", words: string): void {
  $("fresh").dataset["state"] = connection;
  if ($("fresh").textContent !== words) $("fresh").textContent = words;
}
