import { ApiError } from "../shared/api";
import { $, el } from "../shared/elements";
import { act, sayAt } from "./act";
import { read, tryEvent } from "./api";
import { outcomeNode } from "./outcome";
import { counted, flagsNode, pill } from "./parts";
import { show } from "./show";
import { type Said, busy, momentNamed, state } from "./state";
import { timeOf } from "./times";
import type { Diagnosis, Finding, HookList, Trial } from "./wire";
import { STATUS } from "./words";

const moment = $("event", HTMLSelectElement);
const tool = $("tool", HTMLInputElement);

/** What came of the last trial, which is told from the next by its number. */
let outcome: { readonly number: number; readonly trial: Trial } | undefined;
let diagnosis: Diagnosis | undefined;

/** Has the form try an event, and the doctor examine every hook. */
export function startTrying(): void {
  $("trial").addEventListener("submit", (event) => {
    event.preventDefault();
    void act("trial", runTrial);
  });
  moment.addEventListener("change", showMoment);
  $("examine").addEventListener("click", () => void act("doctor", examine));
}

/** Draws the form, what came of the last trial, and what the doctor found. */
export function drawTrying(list: HookList): void {
  fillMoments(list);
  drawButton("run", "trial", ["Run", "Running…"]);
  drawButton("examine", "doctor", ["Examine every hook", "Examining…"]);
  sayAt("trial-said", "trial");
  sayAt("doctor-said", "doctor");
  const tried = outcome === undefined ? [] : [outcome];
  show(
    $("outcome"),
    tried.map(({ number, trial }) => ({ key: String(number), from: number, make: () => outcomeNode(trial) })),
  );
  show(
    $("findings"),
    (diagnosis?.hooks ?? []).map((one) => ({ key: one.id, from: one, make: () => findingNode(one) })),
  );
}

async function runTrial(): Promise<undefined> {
  const named = $("tool-field").hidden ? "" : tool.value.trim();
  const wish = { event: moment.value, payload: payload(), ...(named === "" ? {} : { tool: named }) };
  const trial = await tryEvent(wish);
  outcome = { number: (outcome?.number ?? 0) + 1, trial };
}

async function examine(): Promise<Said | string> {
  diagnosis = await read("/doctor");
  if (diagnosis.healthy) return "Everything is as it should be.";
  const count = diagnosis.hooks.filter((one) => !isFine(one)).length;
  const text = `${counted(count, "hook")} of ${diagnosis.hooks.length} ${count === 1 ? "wants" : "want"} a look.`;
  return { kind: "failed", text };
}

/** What a person wrote into the field, which has to be an object. */
function payload(): object {
  const value = parse($("payload", HTMLTextAreaElement).value.trim() || "{}");
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new ApiError(400, "What an event carries is a JSON object, in braces.", "json");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError(400, `That is not JSON: ${why}`, "json");
  }
}

/** Offers the moments, those that have hooks first. */
function fillMoments({ hooks }: HookList): void {
  if (state.events === undefined) return;
  const used = new Set<string>(hooks.flatMap(({ events }) => events));
  const present = state.events.filter(({ absent }) => absent !== true);
  const groups = [
    { label: "With hooks", names: present.flatMap(({ name }) => (used.has(name) ? name : [])) },
    { label: "Others", names: present.flatMap(({ name }) => (used.has(name) ? [] : name)) },
  ].filter(({ names }) => names.length > 0);
  const sign = JSON.stringify(groups);
  if (moment.dataset["sign"] !== sign) {
    const chosen = moment.value;
    moment.dataset["sign"] = sign;
    moment.replaceChildren(
      ...groups.map(({ label, names }) => el("optgroup", { label }, ...names.map((name) => el("option", {}, name)))),
    );
    if (chosen !== "") moment.value = chosen;
  }
  showMoment();
}

function showMoment(): void {
  $("event-about").textContent = momentNamed(moment.value)?.when ?? "";
  $("tool-field").hidden = !/^(tool|approval)\./.test(moment.value);
}

function drawButton(id: string, key: string, [label, busyLabel]: readonly [string, string]): void {
  const isBusy = busy.has(key);
  $(id).setAttribute("aria-disabled", String(isBusy));
  $(id).textContent = isBusy ? busyLabel : label;
}

function findingNode(finding: Finding): HTMLElement {
  const { name, status, flags, last_run } = finding;
  const facts = factsOf(finding);
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      el("strong", { class: "grow" }, name),
      isFine(finding) ? pill("good", "fine") : pill("bad", "look at it"),
      pill(...STATUS[status]),
    ),
    el(
      "p",
      { class: "small muted" },
      facts.join(" · "),
      facts.length === 0 ? "" : " · ",
      ...(last_run === undefined ? ["not called lately"] : ["last called ", timeOf(last_run.at)]),
    ),
    flagsNode(flags),
  );
}

function factsOf({ address, took_ms, timeoutSeconds }: Finding): readonly string[] {
  return [
    ...(took_ms === undefined ? [] : [`answered in ${took_ms} ms of ${timeoutSeconds} s`]),
    ...(address === undefined ? [] : [`leads to ${address}`]),
  ];
}

function isFine({ flags }: Finding): boolean {
  return flags.every((flag) => flag.code === undefined);
}
