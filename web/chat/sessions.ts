import { $, el } from "../shared/elements";
import { readSessions } from "./api";
import { MAIN_SESSION, hrefOf, inView, nameOf, platformOf } from "./session";
import { sinceThen } from "./times";
import type { SessionRow } from "./wire";

/** Sessions that are listed at most. */
const MAX_LISTED = 1000;
/** Milliseconds after a turn: the list hears of it a little after it ended. */
const HEARD_MS = 4000;

const filter = $("filter", HTMLInputElement);
let sessions: readonly SessionRow[] = [];
let timer = 0;

/** Has what is typed narrow the list. */
export function startSessions(): void {
  filter.addEventListener("input", showSessions);
}

/** Reads the list anew. Throws {@link ApiError}. */
export async function refreshSessions(): Promise<void> {
  const all: SessionRow[] = [];
  let next: number | undefined;
  do {
    const page = await readSessions(next);
    all.push(...page.sessions);
    next = page.next;
  } while (next !== undefined && all.length < MAX_LISTED);
  sessions = all;
  showSessions();
  showTitle();
}

export function refreshSessionsSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void refreshSessions().catch(() => undefined), HEARD_MS);
}

/** Lists the sessions that hold what is typed; the main one and the one in view are there before anyone wrote in them. */
export function showSessions(): void {
  const missing = [...new Set([MAIN_SESSION, inView.sessionKey])].filter(
    (key) => !sessions.some((one) => one.key === key),
  );
  const all = [...missing.map((key): SessionRow => ({ key, platform: platformOf(key) })), ...sessions];
  const wanted = filter.value.trim().toLowerCase();
  const found = all.filter((one) =>
    [labelOf(one), one.preview ?? "", one.platform, one.key].some((words) => words.toLowerCase().includes(wanted)),
  );
  $("sessions").replaceChildren(...found.map(sessionNode));
  $("found").textContent = wanted === "" ? "" : `${found.length} of ${all.length} sessions`;
}

/** Shows the title of the session in view, which the list knows unless it is given. */
export function showTitle(title = sessions.find(({ key }) => key === inView.sessionKey)?.title): void {
  const name = nameOf(inView.sessionKey, title);
  $("title").textContent = name;
  document.title = `${name} · Talaria`;
}

/** Marks the tab: there is something new in the session. */
export function markTitle(): void {
  document.title = `• ${$("title").textContent}`;
}

/** Goes to the search field. */
export function enterFilter(): void {
  filter.focus();
}

export function isFilter(target: EventTarget | null): boolean {
  return target === filter;
}

export function clearFilter(): void {
  filter.value = "";
  showSessions();
}

function sessionNode(session: SessionRow): HTMLElement {
  const { key, platform, updated_at } = session;
  const where = updated_at === undefined ? platform : `${platform} · ${sinceThen(updated_at)}`;
  const link = el(
    "a",
    { href: hrefOf(key), "aria-current": key === inView.sessionKey ? "page" : undefined },
    el("span", {}, labelOf(session)),
    el("span", { class: "where" }, where),
  );
  return el("li", {}, link);
}

/** What the list calls a session: its title, else the beginning of what was said last. */
function labelOf({ key, title, preview = "" }: SessionRow): string {
  const words = preview.replaceAll(/[*`#~]+/g, "").trim();
  const hasTitle = title !== undefined && title !== "";
  return hasTitle || key === MAIN_SESSION || words === "" ? nameOf(key, title) : words;
}
