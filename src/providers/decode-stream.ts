import { parseJson } from "./json";

/** One thing that a vendor's stream says. */
export type StreamItem =
  | { readonly type: "value"; readonly value: unknown; readonly event: string }
  | { readonly type: "done" }
  /** A web page, or text that is neither events nor JSON. */
  | { readonly type: "invalid" };

export interface StreamDecoder {
  /** Everything that is complete after these bytes. */
  decode(bytes: Uint8Array): readonly StreamItem[];
  /** What the end of the stream completes. */
  end(): readonly StreamItem[];
}

/** Longest unfinished line or whole JSON answer, in characters: far above any answer, far below a Worker's memory. */
const MAX_PENDING_CHARS = 8_000_000;
const INVALID: StreamItem = { type: "invalid" };
const DONE: StreamItem = { type: "done" };

/**
 * Decodes what a chat endpoint answers, going by the text and not by its content type: server-sent events, one JSON
 * document (some answer so to a streaming request), or a page that is no answer.
 */
export function createStreamDecoder(): StreamDecoder {
  const decoder = new TextDecoder();
  let kind: "unknown" | "events" | "json" | "page" = "unknown";
  let pending = "";
  let searchedTo = 0;
  let event = "";
  let data: string[] = [];

  const flush = (items: StreamItem[]): void => {
    if (data.length > 0) dispatch(data, event, items);
    data = [];
    event = "";
  };
  const takeLine = (line: string, items: StreamItem[]): void => {
    if (line === "") flush(items);
    else if (line.startsWith("data:")) data.push(line.slice(line.charCodeAt(5) === SPACE ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice(6).trim();
  };
  const takeLines = (items: StreamItem[]): void => {
    let at = 0;
    for (let end = pending.indexOf("\n", searchedTo); end !== -1; end = pending.indexOf("\n", at)) {
      takeLine(pending.slice(at, pending.charCodeAt(end - 1) === RETURN && end > at ? end - 1 : end), items);
      at = end + 1;
    }
    pending = at === 0 ? pending : pending.slice(at);
    searchedTo = pending.length;
  };

  return {
    decode(bytes) {
      const items: StreamItem[] = [];
      pending += decoder.decode(bytes, { stream: true });
      if (kind === "unknown") kind = kindOf(pending);
      if (kind === "events") takeLines(items);
      if (kind === "page" || pending.length > MAX_PENDING_CHARS) items.push(INVALID);
      return items;
    },
    end() {
      const items: StreamItem[] = [];
      pending += decoder.decode();
      if (kind === "json") {
        const value = parseJson(pending);
        items.push(...(value === undefined ? [INVALID] : [{ type: "value", value, event: "" } as const, DONE]));
      } else if (kind === "events") {
        // the last event may lack its empty line; one that was cut in the middle is left out, as it never ended
        takeLine(pending.trimEnd(), items);
        if (data.every((text) => text.trim() === "[DONE]" || parseJson(text) !== undefined)) flush(items);
      }
      return items;
    },
  };
}

const SPACE = 32;
const RETURN = 13;

function kindOf(text: string): "unknown" | "events" | "json" | "page" {
  const start = text.trimStart();
  if (start === "") return "unknown";
  if (start.startsWith("{") || start.startsWith("[")) return "json";
  return start.startsWith("<") ? "page" : "events";
}

function dispatch(data: readonly string[], event: string, items: StreamItem[]): void {
  const text = data.length === 1 ? (data[0] ?? "") : data.join("\n");
  if (text === "" || text.trim() === "") return;
  if (text.trim() === "[DONE]") {
    items.push(DONE);
    return;
  }
  const value = parseJson(text);
  if (value !== undefined) items.push({ type: "value", value, event });
  // some servers forget the empty line between events: each line is then one of its own
  else if (data.length > 1) for (const line of data) dispatch([line], event, items);
  else items.push(INVALID);
}
