import type { HookLogEntry } from "#src/domain/hook";
import { $, el } from "../shared/elements";
import { act, saidNode, sayAt } from "./act";
import { change, changeHook } from "./api";
import { hookNode } from "./hook-row";
import { button, code, counted, pill } from "./parts";
import { show } from "./show";
import { approvalsOf, busy, details, isWaiting, open, runsOf, said, shown, state } from "./state";
import { waitingNode } from "./waiting";
import type { HookList, HookRow, HookStatus } from "./wire";

/** Has the master switch switch all hooks. */
export function startHooks(): void {
  $("master").addEventListener("click", () => {
    const on = state.list?.master.on !== true;
    void act("master", async () => {
      await change("PUT", "/master", { on });
      return undefined;
    });
  });
}

/** Draws the switch, what waits, and all hooks. */
export function drawHooks(list: HookList): void {
  const { hooks, unread, quarantined } = list;
  const waiting = hooks.filter(isWaiting);
  drawSwitch(list);
  $("waiting-title").hidden = waiting.length === 0;
  sayAt("waiting-said", "waiting");
  show(
    $("quarantine"),
    quarantined.map((module) => ({
      key: module,
      from: [hooks, said.get(`release ${module}`), busy.has(`release ${module}`)],
      make: () => quarantineNode(module, hooks),
    })),
  );
  show(
    $("waiting"),
    waiting.map((row) => ({
      key: row.id,
      from: [row, volatile(row), approvalsOf(row), state.events === undefined],
      make: () => waitingNode(row),
    })),
  );
  $("all-title").hidden = hooks.length === 0;
  $("none").hidden = hooks.length > 0;
  show(
    $("all"),
    hooks.map((row) => ({
      key: row.id,
      from: [row, volatile(row), approvalsOf(row), listed(row)],
      make: () => hookNode(row),
    })),
  );
  $("unread-title").hidden = unread.length === 0;
  show(
    $("unread"),
    unread.map((entry, i) => ({ key: String(i), from: entry, make: () => unreadNode(entry) })),
  );
}

function drawSwitch({ master, hooks }: HookList): void {
  $("switchboard").hidden = false;
  $("master").setAttribute("aria-checked", String(master.on));
  $("master").setAttribute("aria-disabled", String(busy.has("master")));
  $("master-label").textContent = master.on ? "Hooks are on" : "Hooks are off";
  const what = master.on
    ? "Those that you approved are called at their moments."
    : "None is called. Every approval is kept.";
  const told = countsOf(hooks);
  $("master-about").textContent = `${what} ${counted(hooks.length, "hook")}${told === "" ? "" : `: ${told}`}.`;
  sayAt("master-said", "master");
}

/** How many hooks stand where. */
function countsOf(hooks: readonly HookRow[]): string {
  const count = (...words: readonly HookStatus[]): number =>
    hooks.filter(({ status }) => words.includes(status)).length;
  const counts = [
    [count("active"), "active"],
    [count("not_approved", "changed_since_approval"), "waiting"],
    [count("approved_master_off", "disabled"), "off"],
    [count("unavailable"), "unavailable"],
  ] as const;
  return counts.flatMap(([number, word]) => (number === 0 ? [] : `${number} ${word}`)).join(", ");
}

/** What a hook is drawn from beside its row. */
function volatile({ id }: HookRow): readonly unknown[] {
  return [
    state.modules?.filter(({ network }) => network).length,
    details.get(id),
    shown.get(id),
    busy.has(`approve ${id}`),
    busy.has(`hook ${id}`),
    said.get(`approve ${id}`),
    said.get(`hook ${id}`),
  ];
}

/** What a hook in the list of all is drawn from beside that. */
function listed({ id }: HookRow): readonly unknown[] {
  const isOpen = open.has(id);
  return [runsOf(id), state.circuits.includes(id), isOpen, isOpen && state.audit?.length];
}

/** A module that is not called any more. */
function quarantineNode(module: string, hooks: readonly HookRow[]): HTMLElement {
  const key = `release ${module}`;
  const named = hooks.filter(({ target }) => target === `module ${module}`);
  const release = async (): Promise<string> => {
    for (const { id } of named) await changeHook(id, "enable");
    return `${module} is released: it is called again.`;
  };
  const releaseButton = button(key, "Release it", () => act(key, release, "waiting"), {
    kind: "danger",
    off: busy.has(key),
    name: `Release ${module}`,
  });
  const why =
    "It was running when the process died, twice in a row, so it is not called any more. Mend it and deploy it before you release it.";
  return el(
    "article",
    { class: "card alarm", "aria-label": `Quarantine: ${module}` },
    el("h3", {}, code(module), " is in quarantine"),
    el("p", {}, why),
    el(
      "div",
      { class: "acts" },
      named.length === 0 ? el("p", { class: "muted" }, "No hook names it any more.") : releaseButton,
      saidNode(key),
    ),
  );
}

/** An entry of the configuration that became no hook. */
function unreadNode({ level, code: word, message, hint, suggestion }: HookLogEntry): HTMLElement {
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      pill(level === "error" ? "bad" : "warn", level),
      el("span", { class: "grow" }, message ?? word),
    ),
    suggestion === undefined ? undefined : el("p", {}, "Did you mean ", code(suggestion), "?"),
    el("p", { class: "small muted" }, hint === undefined ? word : `${hint} · ${word}`),
  );
}
