import { ApiError } from "../shared/api";
import { $, el } from "../shared/elements";
import { whyNot } from "./api";
import { look } from "./look";
import { type Said, busy, changed, said } from "./state";

/**
 * Does something that a person asked for; how it went is said beside it, or at `sayAt` when it went well: a sentence
 * means that it did. Says whether it did; undefined when it is being done already.
 */
export async function act(
  key: string,
  work: () => Promise<Said | string | undefined>,
  sayAt = key,
): Promise<boolean | undefined> {
  if (busy.has(key)) return undefined;
  busy.add(key);
  said.delete(sayAt);
  said.delete(key);
  changed();
  try {
    const told = await work();
    if (told !== undefined) said.set(sayAt, typeof told === "string" ? { kind: "done", text: told } : told);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    said.set(key, { kind: "failed", text: whyNot(error) });
    return false;
  } finally {
    busy.delete(key);
    await look({ isWhole: true });
  }
}

/** How something went, beside what does it. */
export function saidNode(key: string): HTMLElement {
  const { kind, text } = said.get(key) ?? { kind: "", text: "" };
  return el("p", { class: "said", "data-kind": kind, role: kind === "failed" ? "alert" : "status" }, text);
}

/** How something went, at an element of the page's own. */
export function sayAt(id: string, key: string): void {
  const { kind, text } = said.get(key) ?? { kind: "", text: "" };
  if ($(id).textContent !== text) $(id).textContent = text;
  $(id).dataset["kind"] = kind;
}
