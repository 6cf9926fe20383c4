import { el } from "../shared/elements";
import { readModule } from "./api";
import { button, pre } from "./parts";

/** Sources that somebody has asked for, by their hashes: they never change. */
const sources = new Map<string, string>();

/** The source of a kept module, when somebody asks for it. */
export function sourceNode(sha256: string): HTMLElement {
  const holder = el("div");
  const text = sources.get(sha256);
  holder.append(
    text === undefined
      ? button(`source ${sha256}`, "Show its source", () => unfold(sha256, holder))
      : pre("Source of the module", text),
  );
  return holder;
}

async function unfold(sha256: string, holder: HTMLElement): Promise<void> {
  try {
    const text = await readModule(sha256);
    sources.set(sha256, text);
    const shown = pre("Source of the module", text);
    holder.replaceChildren(shown);
    shown.focus();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    holder.replaceChildren(el("p", { class: "said", "data-kind": "failed" }, words));
  }
}
