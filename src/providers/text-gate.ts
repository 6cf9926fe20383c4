import type { ToolSchema } from "#src/domain/provider";
import { CALL_MARKS, type TextCall, readTextCalls } from "./text-calls";

/** Lets an answer's text through as it comes, but keeps back what may turn out to be a tool call written as text. */
export interface TextGate {
  push(text: string): void;
  /** What can be shown now. */
  drain(): string;
  /**
   * The rest, once the answer has ended. `isCut`: it ended at a limit, and half a call is no text for a person.
   * `mayCall`: what reads as a call is one.
   */
  end(how: { readonly isCut: boolean; readonly mayCall: boolean }): {
    readonly text: string;
    readonly calls: readonly TextCall[];
  };
}

/** Characters that are kept back at most: what is longer is a text about calls. */
const MAX_HELD_CHARS = 100_000;
const LONGEST_MARK = Math.max(...CALL_MARKS.map((mark) => mark.length));
/** The beginning of an answer that may be one call in bare JSON, fenced or not, as far as it came. */
const MAYBE_JSON = /^\s*(?:`{1,2}|```[a-z_]{0,9}\s*)?(?:\[\s*)?(?:\{\s*(?:"[\w-]{0,20})?)?$/;
const JSON_CALL =
  /^\s*(?:```(?:json|tool_call)?\s*)?(?:\[\s*)?\{\s*"(?:name|tool_name|tool|function|type|id|arguments|parameters)"/;

/** Begins an answer. Without tools nothing can be a call, and nothing is kept back. */
export function createTextGate(tools: readonly ToolSchema[]): TextGate {
  let waiting = "";
  let isHeld = false;
  let isOpen = tools.length === 0;
  let hasShown = false;
  let fences = 0;
  let lastShown = "";

  const show = (chars: number): string => {
    const shown = waiting.slice(0, chars);
    waiting = waiting.slice(chars);
    hasShown ||= shown.trim() !== "";
    fences += countFences(shown);
    lastShown = shown.at(-1) ?? lastShown;
    return shown;
  };

  return {
    push(text) {
      waiting += text;
    },
    drain() {
      if (isOpen || waiting === "") return show(waiting.length);
      if (isHeld) {
        if (waiting.length <= MAX_HELD_CHARS) return "";
        isOpen = true;
        return show(waiting.length);
      }
      if (!hasShown && MAYBE_JSON.test(waiting)) return "";
      if (!hasShown && JSON_CALL.test(waiting)) {
        isHeld = true;
        return "";
      }
      const mark = findMark(waiting, fences, lastShown);
      isHeld = mark !== undefined;
      return show(mark ?? waiting.length - maybeMarkChars(waiting));
    },
    end({ isCut, mayCall }) {
      const rest = waiting;
      waiting = "";
      const calls = isOpen || rest === "" || !mayCall ? undefined : readTextCalls(rest, tools);
      if (calls !== undefined) return { text: "", calls };
      const isHalfCall = isCut && isHeld && CALL_MARKS.some((mark) => rest.startsWith(mark));
      return { text: isHalfCall ? "" : rest, calls: [] };
    },
  };
}

/** Where a call begins that is not quoted: in a fence, or behind a backtick, it is an example. */
function findMark(text: string, fencesBefore: number, charBefore: string): number | undefined {
  for (let at = nextMark(text, 0); at !== undefined; at = nextMark(text, at + 1)) {
    const isFenced = (fencesBefore + countFences(text.slice(0, at))) % 2 === 1;
    if (!isFenced && (at === 0 ? charBefore : text[at - 1]) !== "`") return at;
  }
  return undefined;
}

function nextMark(text: string, from: number): number | undefined {
  const found = CALL_MARKS.map((mark) => text.indexOf(mark, from)).filter((at) => at !== -1);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Characters at the end that may be the beginning of a mark, or of a fence. */
function maybeMarkChars(text: string): number {
  for (let chars = Math.min(LONGEST_MARK - 1, text.length); chars > 0; chars--) {
    const end = text.slice(-chars);
    if (CALL_MARKS.some((mark) => mark.startsWith(end)) || end === "`" || end === "``") return chars;
  }
  return 0;
}

function countFences(text: string): number {
  return text.split("```").length - 1;
}
