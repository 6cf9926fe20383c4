import { el } from "../shared/elements";
import { act, saidNode } from "./act";
import { request } from "./api";
import { button, code, pill } from "./parts";
import { showRows } from "./show";
import { busy, nameOf, said, state } from "./state";
import { timeOf } from "./times";
import type { Delivery } from "./wire";

/** Draws what is owed to hooks that only watch. */
export function drawDeliveries(): void {
  showRows("deliveries", state.deliveries, {
    keyOf: ({ id }) => id,
    make: deliveryNode,
    nothing: "Nothing is owed.",
    fresh: ({ id }) => [said.get(`replay ${id}`), busy.has(`replay ${id}`)],
  });
}

/** Whether nobody tries it any more. */
export function isGivenUp({ state: word }: Delivery): boolean {
  return word === "dead";
}

function deliveryNode(delivery: Delivery): HTMLElement {
  const { id, session, hook, event, attempts, created_at, next_at, error } = delivery;
  const key = `replay ${id}`;
  const isDead = isGivenUp(delivery);
  const replayButton = button(key, busy.has(key) ? "Trying…" : "Replay", () => act(key, () => replay(id)), {
    off: busy.has(key),
    name: `Replay ${event} to ${nameOf(hook)}`,
  });
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      isDead ? pill("bad", "given up") : pill("warn", "owed"),
      el("span", { class: "grow" }, code(event), " → ", el("strong", {}, nameOf(hook))),
      timeOf(created_at),
    ),
    el(
      "p",
      { class: "small muted" },
      `${session} · ${attempts === 1 ? "1 try" : `${attempts} tries`}`,
      ...(next_at === undefined || isDead ? [] : [" · next ", timeOf(next_at)]),
    ),
    error === undefined ? undefined : el("p", {}, error),
    el("div", { class: "acts" }, isDead ? replayButton : undefined, saidNode(key)),
  );
}

async function replay(id: string): Promise<string> {
  await request("POST", `/deliveries/${encodeURIComponent(id)}/replay`);
  return "It is tried again.";
}
