import { el } from "../shared/elements";
import { saidNode } from "./act";
import { approve, renew, revoke } from "./consent";
import { definitionNode } from "./definition";
import { button, code, flagsNode, pill, short } from "./parts";
import { approvalsOf, busy, shown } from "./state";
import { timeOf } from "./times";
import type { Approval, HookDetail, HookRow } from "./wire";
import { STATUS } from "./words";

/** What the card of a hook that waits says in words of its own. */
const TOLD = new Set(["hook.not_approved", "hook.tampered"]);

/** A hook that waits for approval, with all that the approval is about. */
export function waitingNode(row: HookRow): HTMLElement {
  const detail = shown.get(row.id);
  const flags = row.flags.filter((flag) => flag.code === undefined || !TOLD.has(flag.code));
  return el(
    "article",
    { class: "card waits", "aria-label": row.name },
    el("div", { class: "line" }, el("h3", { class: "grow" }, row.name), pill(...STATUS[row.status])),
    detail === undefined ? undefined : changedNode(row, detail),
    detail === undefined ? el("p", { class: "muted" }, "Reading…") : definitionNode(detail, detail),
    flagsNode(flags),
    isOutdated(row) ? outdatedNode(row) : undefined,
    actsNode(row, detail),
  );
}

function actsNode(row: HookRow, detail: HookDetail | undefined): HTMLElement {
  const { id, name, status } = row;
  const key = `approve ${id}`;
  const isBusy = busy.has(key);
  const approveButton = button(
    key,
    isBusy ? "Approving…" : "Approve exactly this",
    () => (detail === undefined ? undefined : approve(detail)),
    { kind: "primary", name: `Approve ${name}`, off: isBusy || detail === undefined || isOutdated(row) },
  );
  const revokeButton = button(`revoke ${id}`, "Take the old approval back", () => revoke(row, key), { off: isBusy });
  const isChanged = status === "changed_since_approval";
  return el("div", { class: "acts" }, approveButton, isChanged ? revokeButton : undefined, saidNode(key));
}

/** Whether the hook is another one by now than the card shows. */
function isOutdated({ id, digest }: HookRow): boolean {
  const detail = shown.get(id);
  return detail !== undefined && detail.digest !== digest;
}

function outdatedNode(row: HookRow): HTMLElement {
  const words = "It has changed since it was shown here. Look at it as it is now before you approve it.";
  const renewButton = button(`renew ${row.id}`, "Show it as it is now", () => renew(row));
  return el("div", { class: "note", role: "alert" }, el("p", {}, words), el("div", { class: "acts" }, renewButton));
}

/** What was approved, and that this is something else. */
function changedNode(row: HookRow, { digest, definition }: HookDetail): HTMLElement | undefined {
  if (row.status !== "changed_since_approval") return undefined;
  const before = approvalsOf(row).at(-1);
  const isSame = before?.digest === digest;
  const isGuard = definition.onError === "deny";
  return el(
    "div",
    { class: "note" },
    el("strong", {}, "This is not what was approved. "),
    ...(before === undefined ? [] : approvalWords(before, digest)),
    isSame
      ? "Its definition is the same: what it runs has changed. "
      : "Only the digest of what was approved is kept, so read all of it. ",
    isGuard ? "Until then, whatever it stands before is refused." : "Until then it is not called.",
  );
}

function approvalWords({ approvedBy, approvedAt, digest }: Approval, now: string): readonly (Node | string)[] {
  const who = `${approvedBy.principal} approved it `;
  return [who, timeOf(approvedAt), " as ", code(short(digest)), "; now it is ", code(short(now)), ". "];
}
