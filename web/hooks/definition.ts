import type { Hook, HookTarget } from "#src/domain/hook";
import { el } from "../shared/elements";
import { sourceNode } from "./module-source";
import { code, pre } from "./parts";
import { momentNamed } from "./state";
import type { HookDetail, HookRow } from "./wire";
import { abilityWords, failureWords, secretNames, sightWords, signingWords } from "./words";

/** A line of a definition; one without a value is left out. */
type Fact = readonly [string, Node | string | undefined];

/** All that will run, and what it may do: what an approval is about. */
export function definitionNode(row: HookRow, { definition, digest }: HookDetail): HTMLElement {
  const { matcher, priority } = definition;
  const facts: readonly Fact[] = [
    ["Moment", momentNode(row, definition)],
    ["Calls", targetNode(row, definition.target)],
    ["Matches", matcher === undefined ? "everything" : code(JSON.stringify(matcher))],
    ["Only if", definition.condition],
    ["May", abilityWords(definition)],
    ["When it fails", failureWords(definition)],
    ["Time-out", `${row.timeoutSeconds} s`],
    ["Gets", sightWords(definition)],
    ...requestFacts(row, definition.target),
    ["Priority", priority === 0 ? undefined : String(priority)],
    ["Rest of the entry", restNode(definition)],
    ["Language", row.dialect],
    ["Id", row.id],
    ["Written in", row.source],
    ["Digest", code(digest)],
  ];
  const lines = facts.flatMap(([label, value]) =>
    value === undefined ? [] : [el("dt", {}, label), el("dd", {}, value)],
  );
  return el("dl", {}, ...lines);
}

function momentNode({ event, dialect }: HookRow, { events }: Hook): HTMLElement {
  const lines: HTMLElement[] = events.map((name) =>
    el("div", {}, code(name), `: ${momentNamed(name)?.when ?? "a moment"}`),
  );
  if (lines.length === 0) lines.push(el("div", {}, code(event), ": no such moment here, it is never called"));
  if (dialect !== "native") lines.push(note(`${dialect} calls it ${event}`, "muted small"));
  return el("div", {}, ...lines);
}

function targetNode(row: HookRow, target: HookTarget): HTMLElement {
  return el("div", {}, code(row.target), ...contentOf(target));
}

/** What a target runs, beside its name. */
function contentOf(target: HookTarget): readonly HTMLElement[] {
  if (target.type === "command" && target.shell !== undefined) return [note("A shell reads it.")];
  if (target.type === "prompt") {
    const prompt = pre("Prompt", target.prompt);
    return target.model === undefined ? [prompt] : [prompt, note(`Asks ${target.model}.`)];
  }
  if (target.type !== "module" || target.sha256 === undefined) return [];
  return [el("div", {}, code(`sha256:${target.sha256}`)), sourceNode(target.sha256)];
}

/** What is sent to an address, and what its answers count for. */
function requestFacts(row: HookRow, target: HookTarget): readonly Fact[] {
  if (target.type !== "http") return [];
  const headers = Object.keys(target.headers);
  const secrets = secretNames(target);
  return [
    ["Headers", headers.length === 0 ? undefined : code(headers.join(", "))],
    ["Secrets, by name", secrets.length === 0 ? "none" : code(secrets.join(", "))],
    ["Signed", signingWords(row, target)],
    ["Answers signed by", target.responseKey],
    ["Refuses by status", target.blockStatuses.length === 0 ? undefined : target.blockStatuses.join(", ")],
  ];
}

function restNode({ extra }: Hook): HTMLElement | undefined {
  // what the import noted for itself is nobody's wish
  const { hasOwnPolicy: _hasOwnPolicy, ...rest } = extra ?? {};
  return Object.keys(rest).length === 0 ? undefined : code(JSON.stringify(rest));
}

function note(words: string, kind = "small muted"): HTMLElement {
  return el("div", { class: kind }, words);
}
