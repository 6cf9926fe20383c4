import { $, el } from "../shared/elements";
import { act, saidNode, sayAt } from "./act";
import { keepModule, request } from "./api";
import { sourceNode } from "./module-source";
import { button, code, pill, short } from "./parts";
import { showRows } from "./show";
import { busy, changed, nameOf, said, state } from "./state";
import { timeOf } from "./times";
import type { ModuleRow } from "./wire";

const source = $("source", HTMLTextAreaElement);
const file = $("file", HTMLInputElement);

/** The module that a person wants to delete, and is asked about again. */
let doomed: string | undefined;

/** Has the form keep what is written into it or chosen as a file. */
export function startModules(): void {
  $("keep").addEventListener("submit", (event) => {
    event.preventDefault();
    void act("keep", () => keep(source.value));
  });
  file.addEventListener("change", () => void takeFile());
}

/** Draws the modules that are kept. */
export function drawModules(): void {
  sayAt("keep-said", "keep");
  showRows("modules", state.modules, {
    keyOf: ({ sha256 }) => sha256,
    make: moduleNode,
    nothing: "No module is kept.",
    fresh: ({ sha256 }) => [doomed === sha256, said.get(`drop ${sha256}`), busy.has(`drop ${sha256}`)],
  });
}

/** Forgets that a person wanted to delete one. */
export function spareModules(): void {
  doomed = undefined;
}

function moduleNode({ sha256, bytes, added_at, used_by, network }: ModuleRow): HTMLElement {
  const key = `drop ${sha256}`;
  const users = used_by.length === 0 ? "no hook names it" : `named by ${used_by.map(nameOf).join(", ")}`;
  const isDoomed = doomed === sha256;
  const dropButton = button(key, isDoomed ? "Delete it for good" : "Delete", () => drop(sha256, key), {
    kind: "danger",
    off: busy.has(key),
    name: isDoomed ? undefined : `Delete sha256:${short(sha256)}`,
  });
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      el("span", { class: "grow" }, code(`sha256:${sha256}`)),
      network ? pill("warn", "may reach the network") : pill("", "no network"),
      timeOf(added_at),
    ),
    el("p", { class: "small muted" }, `${bytes.toLocaleString()} bytes · ${users}`),
    el("div", { class: "acts" }, sourceNode(sha256), used_by.length === 0 ? dropButton : undefined, saidNode(key)),
  );
}

/** Deletes a module when it is asked for twice. */
async function drop(sha256: string, key: string): Promise<void> {
  if (doomed !== sha256) {
    doomed = sha256;
    return changed();
  }
  doomed = undefined;
  const work = async (): Promise<string> => {
    await request("DELETE", `/modules/${sha256}`);
    return `sha256:${short(sha256)} is deleted.`;
  };
  await act(key, work, "keep");
}

async function keep(text: string): Promise<string> {
  const sha256 = await keepModule(text);
  if (source.value === text) source.value = "";
  return `Kept. A hook names it as module: <name>@sha256:${sha256}`;
}

async function takeFile(): Promise<void> {
  const chosen = file.files?.[0];
  if (chosen !== undefined) source.value = await chosen.text();
  file.value = "";
  source.focus();
}
