import { ApiError } from "../shared/api";
import { el } from "../shared/elements";
import { act, saidNode } from "./act";
import { changeHook, read } from "./api";
import { revoke } from "./consent";
import { definitionNode } from "./definition";
import { readDetail } from "./look";
import { button, code, counted, flagsNode, pill } from "./parts";
import { approvalsOf, busy, changed, details, open, runsOf, state } from "./state";
import { timeOf } from "./times";
import { actParts } from "./trail";
import type { Approval, HookRow } from "./wire";
import { STATUS, isFailed } from "./words";

/** Entries of the trail that a hook shows. */
const MAX_ENTRIES = 12;

/** A hook in the list of all; what is inside is made when somebody unfolds it. */
export function hookNode(row: HookRow): HTMLElement {
  const { id } = row;
  const isOpen = open.has(id);
  const node = el("details", {}, summaryNode(row), isOpen ? insideNode(row) : undefined);
  node.open = isOpen;
  node.addEventListener("toggle", () => {
    if (node.open === open.has(id)) return;
    if (node.open) open.add(id);
    else open.delete(id);
    changed();
    if (node.open) void readDetail(row).then(changed, changed);
  });
  return el("li", {}, node);
}

function summaryNode(row: HookRow): HTMLElement {
  const { id, name, status, event, target, source } = row;
  const head = el("div", { class: "line" }, el("strong", {}, name), pill(...STATUS[status]));
  if (hasOpenCircuit(row)) head.append(pill("bad", "circuit open"));
  const lines = el(
    "div",
    { class: "grow" },
    head,
    el("div", { class: "small muted" }, code(event), " → ", code(target)),
    el("div", { class: "small muted" }, source, " · ", ...latelyWords(id)),
  );
  return el("summary", { class: "line", "data-act": `open ${id}` }, lines);
}

/** When it was called last, and how often that failed lately. */
function latelyWords(id: string): readonly (Node | string)[] {
  const runs = runsOf(id);
  const [latest] = runs;
  if (latest === undefined) return ["not called lately"];
  const failures = runs.filter(isFailed).length;
  const words = failures === 0 ? "" : ` · ${counted(failures, "failure")} in ${counted(runs.length, "call")}`;
  return ["called ", timeOf(latest.at), words];
}

function insideNode(row: HookRow): HTMLElement {
  const detail = details.get(row.id);
  return el(
    "div",
    {},
    actsNode(row),
    detail === undefined ? el("p", { class: "muted" }, "Reading…") : definitionNode(row, detail),
    flagsNode(row.flags),
    trailNode(row),
  );
}

function actsNode(row: HookRow): HTMLElement {
  const { id, name, status } = row;
  const key = `hook ${id}`;
  const off = busy.has(key);
  const turnWord = status === "disabled" ? "Enable" : "Disable";
  const turnButton = button(`turn ${id}`, turnWord, () => turn(row, key), { off, name: `${turnWord} ${name}` });
  const revokeButton = button(`unapprove ${id}`, "Revoke approval", () => revoke(row, key), {
    kind: "danger",
    off,
    name: `Revoke the approval of ${name}`,
  });
  const circuitButton = button(`circuit ${id}`, "Close the circuit", () => closeCircuit(row, key), { off });
  return el(
    "div",
    { class: "acts" },
    turnButton,
    approvalsOf(row).some(isOwn) ? revokeButton : undefined,
    hasOpenCircuit(row) ? circuitButton : undefined,
    saidNode(key),
  );
}

/** Switches a hook on or off. */
async function turn({ id, name, status, source }: HookRow, key: string): Promise<void> {
  const isOff = status === "disabled";
  await act(key, async () => {
    await changeHook(id, isOff ? "enable" : "disable");
    if (!isOff) return `${name} is disabled. Its approval is kept.`;
    const { hooks } = await read("");
    if (hooks.find((one) => one.id === id)?.status !== "disabled") return `${name} is enabled.`;
    throw new ApiError(409, `It is switched off where it is written: ${source}.`, "configured");
  });
}

async function closeCircuit({ id, name }: HookRow, key: string): Promise<void> {
  await act(key, async () => {
    await changeHook(id, "reset-circuit");
    return `${name} is called again from now on.`;
  });
}

/** Who did what to a hook. */
function trailNode({ id, target }: HookRow): HTMLElement | undefined {
  const entries = (state.audit ?? []).filter((one) => one.target === target || one.note === id);
  if (entries.length === 0) return undefined;
  const lines = entries.slice(0, MAX_ENTRIES).map((one) => el("li", { class: "line" }, ...actParts(one)));
  return el("ul", { class: "trail", "aria-label": "Who did what to it" }, ...lines);
}

function hasOpenCircuit({ id }: HookRow): boolean {
  return state.circuits.includes(id);
}

/** Whether a person gave it, who may take it back. */
function isOwn({ approvedBy }: Approval): boolean {
  return approvedBy.method !== "gitops" && approvedBy.method !== "auto";
}
