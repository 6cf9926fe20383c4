import type { HookSettlement } from "#src/domain/hook-event";
import { el } from "../shared/elements";
import { type PillKind, flagsNode, pill, pre, pretty } from "./parts";
import type { HookFlag, Trial, TrialAnswer } from "./wire";
import { STATUS } from "./words";

type Answer = Extract<TrialAnswer, { readonly called: true }>;

/** What came of an event that was tried, and what each hook answered. */
export function outcomeNode({ hooks, settlement, log, event }: Trial): HTMLElement {
  const [kind, words] = outcomeWords(settlement);
  const { outcome, reason: _reason, by: _by, notes, ...changes } = settlement;
  const wanted = { ...changes, ...(notes.length > 0 ? { notes } : {}) };
  const line = el(
    "div",
    { class: "line" },
    pill(kind, outcome === "none" ? "goes on" : outcome),
    el("strong", { class: "grow" }, words),
  );
  return el(
    "div",
    {},
    el("h2", { id: "settled", tabindex: "-1" }, "What came of it"),
    el(
      "div",
      { class: "card" },
      line,
      Object.keys(wanted).length === 0 ? undefined : pre("What the hooks want together", pretty(wanted)),
      flagsNode(log.map(asFlag)),
    ),
    hooks.length === 0
      ? el("p", { class: "empty" }, `No hook is on ${event}.`)
      : el("ul", { class: "rows" }, ...hooks.map((one) => (one.called ? answerNode(one) : silentNode(one)))),
  );
}

function outcomeWords({ outcome, reason, by }: HookSettlement): readonly [PillKind, string] {
  const who = by === undefined ? "" : ` by ${by}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  const words: Readonly<Record<string, readonly [PillKind, string]>> = {
    none: ["good", "Nobody objects: it goes on."],
    allow: ["good", `Allowed${who}, nobody is asked${why}`],
    ask: ["warn", `You would be asked${who}${why}`],
    defer: ["warn", `Put off${who}${why}`],
    deny: ["bad", `Refused${who}${why}`],
    stop: ["bad", `The turn ends${who}${why}`],
  };
  return words[outcome] ?? ["", outcome];
}

/** A hook that was not called, and why. */
function silentNode({ name, status }: TrialAnswer): HTMLElement {
  const why =
    status === "active"
      ? "It was passed over: its matcher does not take this event, or one before it decided."
      : `It was not called: ${STATUS[status][1]}.`;
  const line = el("div", { class: "line" }, el("strong", { class: "grow" }, name), pill("", "not called"));
  return el("li", {}, line, el("p", { class: "small muted" }, why));
}

function answerNode(answer: Answer): HTMLElement {
  const { name, request, response, decision, log } = answer;
  const word = decision?.decision ?? (decision === null ? "no opinion" : "answered");
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      el("strong", { class: "grow" }, name),
      isBad(answer) ? pill("bad", "failed") : undefined,
      pill(decision?.decision === "deny" ? "bad" : "good", word),
    ),
    response === undefined ? undefined : el("p", { class: "small muted" }, responseWords(response)),
    decision?.reason === undefined ? undefined : el("p", {}, decision.reason),
    flagsNode(log.filter(({ level }) => level !== "debug").map(asFlag)),
    el(
      "details",
      {},
      el("summary", { class: "more" }, "What it was sent, what came back and what that means"),
      pre("Sent", pretty(request)),
      response === undefined ? undefined : pre("Came back", answerText(response)),
      pre("Means", decision === null ? "no opinion" : pretty(decision)),
    ),
  );
}

function isBad({ response }: Answer): boolean {
  if (response === undefined) return false;
  return response.why !== undefined || (response.exit !== 0 && response.exit !== 2);
}

function responseWords({ duration_ms, why, status, exit }: NonNullable<Answer["response"]>): string {
  return `answered in ${duration_ms} ms: ${why ?? (status === undefined ? `exit ${exit}` : `HTTP ${status}`)}`;
}

function answerText({ returned, stdout, stderr }: NonNullable<Answer["response"]>): string {
  if (returned !== undefined) return pretty(returned);
  return [stdout, stderr].filter((text) => text !== "").join("\n") || "nothing";
}

function asFlag({ message, code }: Trial["log"][number]): HookFlag {
  return { message: message ?? code };
}
