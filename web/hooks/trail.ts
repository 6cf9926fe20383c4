import { el } from "../shared/elements";
import { code, short } from "./parts";
import { showRows } from "./show";
import { nameOf, state } from "./state";
import { timeOf } from "./times";
import type { AuditEntry } from "./wire";
import { actionWords } from "./words";

/** Notes that say what was done, rather than to which hook. */
const DONE = new Set(["added", "replaced", "removed"]);

/** Draws who did what. */
export function drawTrail(): void {
  showRows("trail", state.audit, {
    keyOf: (entry) => JSON.stringify(entry),
    make: entryNode,
    nothing: "Nobody has done anything yet.",
  });
}

/** What somebody did, as parts of a line. */
export function actParts({ at, action, principal, surface, digest, note, contentSha256 }: AuditEntry): readonly Node[] {
  const isDone = note !== undefined && DONE.has(note);
  const pin = digest ?? (contentSha256 === undefined ? undefined : `sha256:${contentSha256}`);
  const where = isDone || note === undefined ? `(${surface})` : `(${surface}): ${nameOf(note)}`;
  const words = el(
    "span",
    { class: "grow" },
    el("strong", {}, principal),
    ` ${isDone ? `${note} it` : actionWords(action)} `,
    el("span", { class: "muted" }, where),
  );
  return [words, ...(pin === undefined ? [] : [el("code", { class: "muted", title: pin }, short(pin))]), timeOf(at)];
}

function entryNode(entry: AuditEntry): HTMLElement {
  const { event = "", target } = entry;
  const line = el("div", { class: "line" }, ...actParts(entry));
  const about = target === undefined ? undefined : el("p", { class: "small muted" }, code(event), " → ", code(target));
  return el("li", {}, line, about);
}
