import { el } from "../shared/elements";
import type { HookFlag } from "./wire";

/** The colour of a pill. */
export type PillKind = "good" | "warn" | "bad" | "";

interface ButtonOptions {
  readonly kind?: "primary" | "danger";
  /** What it is called where its label alone says too little. */
  readonly name?: string | undefined;
  readonly off?: boolean;
}

export function code(text: string): HTMLElement {
  return el("code", {}, text);
}

export function pill(kind: PillKind, text: string): HTMLElement {
  return el("span", { class: `pill ${kind}` }, text);
}

/** A text as it is, which the keyboard can scroll. */
export function pre(label: string, text: string): HTMLElement {
  return el("pre", { tabindex: "0", "aria-label": label }, text);
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** The beginning of a digest, for people. */
export function short(digest: string): string {
  return `${digest.replace(/^sha256:/, "").slice(0, 12)}…`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A button that stays where the focus is while it works. `act` finds it again when it is drawn anew. */
export function button(
  act: string,
  label: string,
  onPress: () => unknown,
  { kind, name, off = false }: ButtonOptions = {},
): HTMLElement {
  const attributes = {
    type: "button",
    class: kind,
    "data-act": act,
    "aria-label": name,
    "aria-disabled": off ? "true" : undefined,
    onclick: () => void (off || onPress()),
  };
  return el("button", attributes, label);
}

export function flagsNode(flags: readonly HookFlag[]): HTMLElement | undefined {
  if (flags.length === 0) return undefined;
  return el("ul", { class: "flags", "aria-label": "Notes" }, ...flags.map(({ message }) => el("li", {}, message)));
}
