import type { TranscriptMessage } from "#src/domain/live";
import { $, el } from "../shared/elements";
import { stayHere } from "./scroll";

/** A tool call as it is first heard of: from its message, its result or while it runs. */
interface HeardCall {
  readonly id: string;
  readonly name?: string | undefined;
  /** JSON, as the model wrote it: it may be invalid. */
  readonly arguments?: string;
}

/** The folded view of a tool call. */
interface Fold {
  readonly node: HTMLDetailsElement;
  readonly turnId: string;
  /** The arguments in a line. */
  readonly gist: HTMLElement;
  readonly state: HTMLElement;
  readonly result: HTMLElement;
}

const STATES = { running: "running…", done: "done", failed: "failed", ended: "no result" };

/** Characters of the arguments in a line. */
const GIST_CHARS = 120;

const folds = new Map<string, Fold>();
let runningTurn: string | undefined;

export function forgetFolds(): void {
  folds.clear();
}

/** Calls without a result run in the turn that is under way; those of the last one are over. */
export function followTurn(turnId: string | undefined): void {
  for (const fold of folds.values())
    if (fold.turnId === runningTurn && fold.node.dataset["state"] === "running") setState(fold, "ended");
  runningTurn = turnId;
  for (const fold of folds.values()) if (fold.turnId === turnId && !hasResult(fold)) setState(fold, "running");
}

/** The view of a call, made when it is first heard of. */
export function foldOf(turnId: string, call: HeardCall): HTMLElement {
  return makeFold(turnId, call).node;
}

/** Says how a call does, unless its result has said so. */
export function setCallState(turnId: string, call: HeardCall, state: keyof typeof STATES): void {
  const fold = makeFold(turnId, call);
  if (!hasResult(fold)) setState(fold, state);
}

/** Fills a result in; gives an element of its own only when its call is not on the page. */
export function showResult(message: TranscriptMessage): HTMLElement | undefined {
  const fold = makeFold(message.turn_id, { id: message.tool_call_id ?? message.id, name: message.tool_name });
  fold.result.replaceChildren(
    el("h3", {}, "Result"),
    el("pre", { tabindex: "0", "aria-label": "Result" }, message.content),
  );
  setState(fold, message.is_error === true ? "failed" : "done");
  if (fold.node.isConnected && !$("live").contains(fold.node)) return undefined;
  return el("article", { class: "message assistant" }, fold.node);
}

function makeFold(turnId: string, call: HeardCall): Fold {
  const key = `${turnId}/${call.id}`;
  const known = folds.get(key);
  if (known !== undefined) return known;
  const gist = el("span", { class: "gist" });
  const state = el("span", { class: "state" });
  const result = el("div");
  const shown = el("div");
  const summary = el("summary", { onclick: stayHere }, el("strong", {}, call.name ?? "tool"), gist, state);
  const fold = { node: el("details", { class: "tool" }, summary, shown, result), turnId, gist, state, result };
  if (call.arguments !== undefined) describeArguments(call.arguments, fold, shown);
  folds.set(key, fold);
  setState(fold, runningTurn === turnId ? "running" : "ended");
  return fold;
}

function describeArguments(raw: string, fold: Fold, parent: HTMLElement): void {
  let shown = raw;
  try {
    const parsed: unknown = JSON.parse(raw);
    shown = JSON.stringify(parsed, undefined, 2);
    // whatever JSON is but `null`, which throws as what is no JSON does
    fold.gist.textContent = Object.values(parsed as object)
      .filter((value) => typeof value !== "object")
      .join(" ")
      .slice(0, GIST_CHARS);
  } catch {
    fold.gist.textContent = raw.slice(0, GIST_CHARS);
  }
  parent.append(el("h3", {}, "Arguments"), el("pre", { tabindex: "0", "aria-label": "Arguments" }, shown));
}

function setState(fold: Fold, state: keyof typeof STATES): void {
  fold.node.dataset["state"] = state;
  fold.state.textContent = STATES[state];
}

function hasResult({ result }: Fold): boolean {
  return result.childElementCount > 0;
}
