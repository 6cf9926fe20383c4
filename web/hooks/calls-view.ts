import { $, el } from "../shared/elements";
import { type PillKind, code, pill } from "./parts";
import { showRows } from "./show";
import { changed, nameOf, runsOf, state } from "./state";
import { timeOf } from "./times";
import type { HookList, Run } from "./wire";
import { isFailed } from "./words";

const chooser = $("calls-of", HTMLSelectElement);

/** Has the choice of a hook narrow the calls. */
export function startCalls(): void {
  chooser.addEventListener("change", changed);
}

/** Draws the recent calls, of the hook that is chosen. */
export function drawCalls({ hooks }: HookList): void {
  fillChooser([...new Set([...hooks.map(({ id }) => id), ...state.runs.map(({ hook }) => hook)])]);
  const wanted = chooser.value;
  showRows("calls", wanted === "" ? state.runs : runsOf(wanted), {
    keyOf: (run) => JSON.stringify(run),
    make: callNode,
    nothing: "No hook was called lately.",
  });
}

function fillChooser(ids: readonly string[]): void {
  const sign = ids.join("\n");
  if (chooser.dataset["sign"] === sign) return;
  const chosen = chooser.value;
  chooser.dataset["sign"] = sign;
  chooser.replaceChildren(
    el("option", { value: "" }, "every hook"),
    ...ids.map((id) => el("option", { value: id }, nameOf(id))),
  );
  chooser.value = ids.includes(chosen) ? chosen : "";
}

function callNode(run: Run): HTMLElement {
  const facts = [
    ...(run.decision === undefined ? [] : [`wanted ${run.decision}`]),
    ...(run.mode === "observe" ? ["only watched"] : []),
    `${Math.round(run.durationMs)} ms`,
  ];
  return el(
    "li",
    { class: "line" },
    pill(...cameOf(run)),
    el("span", { class: "grow" }, el("strong", {}, run.name), " ", code(run.event)),
    el("span", { class: "small muted" }, facts.join(" · ")),
    timeOf(run.at),
  );
}

/** What came of a call, in a word. */
function cameOf(run: Run): readonly [PillKind, string] {
  const { exit, code: word, decision } = run;
  if (isFailed(run)) return ["bad", word ?? `exit ${exit}`];
  return [exit === 2 || decision === "deny" ? "warn" : "good", decision ?? "ok"];
}
