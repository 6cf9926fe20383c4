/** Tells a thinking block that a server left at the start of an answer's text apart from the answer. */
export interface ThinkSplitter {
  /** What a piece of text turns out to be. Characters that may belong to a tag are kept until they are known. */
  split(text: string): { readonly thought: string; readonly said: string };
  /** What was kept until the end. */
  rest(): { readonly thought: string; readonly said: string };
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Begins an answer. Only a block at the very start is thinking: later ones are text about such blocks. */
export function createThinkSplitter(): ThinkSplitter {
  let state: "start" | "thinking" | "after" | "said" = "start";
  let waiting = "";

  const take = (): { thought: string; said: string } => {
    if (state === "start") {
      const start = waiting.trimStart();
      if (start.startsWith(OPEN)) {
        state = "thinking";
        waiting = start.slice(OPEN.length);
      } else if (OPEN.startsWith(start)) return { thought: "", said: "" };
      else state = "said";
    }
    let thought = "";
    if (state === "thinking") {
      const end = waiting.indexOf(CLOSE);
      const until = end === -1 ? waiting.length - tailOf(waiting, CLOSE) : end;
      thought = waiting.slice(0, until);
      waiting = waiting.slice(end === -1 ? until : end + CLOSE.length);
      if (end === -1) return { thought, said: "" };
      state = "after";
    }
    if (state === "after") {
      waiting = waiting.trimStart();
      if (waiting !== "") state = "said";
    }
    const said = waiting;
    waiting = "";
    return { thought, said };
  };

  return {
    split(text) {
      if (state === "said") return { thought: "", said: text };
      waiting += text;
      return take();
    },
    rest() {
      const kept = waiting;
      waiting = "";
      return state === "thinking" ? { thought: kept, said: "" } : { thought: "", said: kept };
    },
  };
}

/** Characters at the end of a text that may begin a tag. */
function tailOf(text: string, tag: string): number {
  for (let chars = Math.min(tag.length - 1, text.length); chars > 0; chars--) {
    if (tag.startsWith(text.slice(-chars))) return chars;
  }
  return 0;
}
