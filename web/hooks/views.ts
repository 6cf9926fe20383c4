import { $ } from "../shared/elements";
import { drawCalls } from "./calls-view";
import { drawDeliveries, isGivenUp } from "./deliveries-view";
import { drawHooks } from "./hooks-view";
import { drawModules, spareModules } from "./modules-view";
import { isWaiting, state } from "./state";
import { refreshTimes } from "./times";
import { drawTrail } from "./trail";
import { drawTrying } from "./try-view";
import type { HookList } from "./wire";

interface View {
  readonly title: string;
  readonly draw: (list: HookList) => void;
}

const HOOKS: View = { title: "Hooks", draw: drawHooks };

/** What the page can show, by the name in its address. */
const VIEWS: Readonly<Record<string, View>> = {
  hooks: HOOKS,
  try: { title: "Try out", draw: drawTrying },
  calls: { title: "Recent calls", draw: drawCalls },
  deliveries: { title: "Deliveries", draw: drawDeliveries },
  modules: { title: "Modules", draw: drawModules },
  trail: { title: "Who did what", draw: drawTrail },
};

let view = HOOKS;

/** Draws what is known, in the view that is open. */
export function draw(): void {
  if (state.list === undefined) return;
  drawCount("waiting-count", state.list.hooks.filter(isWaiting).length);
  drawCount("dead-count", (state.deliveries ?? []).filter(isGivenUp).length);
  view.draw(state.list);
  refreshTimes();
}

/** Opens a view, that of the hooks unless the name is one's. */
export function showView(named: string): void {
  const name = Object.hasOwn(VIEWS, named) ? named : "hooks";
  view = VIEWS[name] ?? HOOKS;
  $("title").textContent = view.title;
  document.title = `${view.title} · Talaria`;
  for (const section of document.querySelectorAll<HTMLElement>("main > section"))
    section.hidden = section.dataset["view"] !== name;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    if (link.hash === `#view=${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  spareModules();
  draw();
}

function drawCount(id: string, count: number): void {
  $(id).textContent = count === 0 ? "" : String(count);
}
