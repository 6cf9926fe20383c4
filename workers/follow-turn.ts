import { GatewayError } from "#src/domain/errors";
import type { LiveEvent } from "#src/domain/live";

export interface Answer {
  readonly text: string;
}

/**
 * Reads a session's live events until one turn has ended, handing on what its answer grows by. When the text begins
 * anew, after a tool or a correction, a blank line separates it from what was handed on: a stream cannot unsay.
 *
 * @throws GatewayError `unavailable` when the events end before the turn does
 */
export async function followTurn(
  events: ReadableStream<Uint8Array>,
  turnId: number,
  onDelta: (text: string) => void | Promise<void>,
): Promise<Answer> {
  const id = String(turnId);
  let handedOn = "";
  let text = "";
  let answer = "";

  async function handOn(piece: string): Promise<void> {
    if (piece === "") return;
    handedOn += piece;
    await onDelta(piece);
  }

  /** A whole answer stands: what was never streamed of it (a command's reply, a notice) follows now. */
  async function conclude(whole: string): Promise<void> {
    answer = whole;
    const rest = whole.startsWith(text) ? whole.slice(text.length) : `\n\n${whole}`;
    await handOn(text === "" && handedOn !== "" && rest !== "" ? `\n\n${rest}` : rest);
    text = "";
  }

  for await (const event of lines(events)) {
    if (event.type === "hello") {
      // a repeated request meets a turn that is under way, or over
      if (event.live?.turn_id === id) await handOn((text = event.live.text));
      else if (isAnswered(event, id)) {
        await conclude(lastAnswer(event, id));
        return { text: answer };
      }
    }
    if (event.type === "delta" && event.turn_id === id) {
      const separator = event.offset === 0 && handedOn !== "" && event.text !== "" ? "\n\n" : "";
      text = event.offset === 0 ? event.text : text + event.text;
      await handOn(event.text === "" ? "" : separator + event.text);
    }
    if (event.type === "message" && event.message.turn_id === id && isSpoken(event.message))
      await conclude(event.message.content);
    if (event.type === "turn" && event.turn_id === id && event.state === "ended") return { text: answer };
  }
  throw new GatewayError("unavailable", "The session was interrupted; its answer will stand in the transcript.");
}

function isAnswered(event: Extract<LiveEvent, { type: "hello" }>, turnId: string): boolean {
  return answersIn(event, turnId).length > 0;
}

function lastAnswer(event: Extract<LiveEvent, { type: "hello" }>, turnId: string): string {
  return answersIn(event, turnId).at(-1)?.content ?? "";
}

/** What a turn answered, without what it said before it ran tools or heard more. */
function answersIn(event: Extract<LiveEvent, { type: "hello" }>, turnId: string) {
  return event.messages.filter(
    (message) =>
      message.turn_id === turnId && isSpoken(message) && message.tool_calls === undefined && message.kind !== "partial",
  );
}

/** Words of the agent; what hooks tell the person beside them is no part of an answer. */
function isSpoken({ role, kind }: { readonly role: string; readonly kind: string }): boolean {
  return role === "assistant" && kind !== "note" && kind !== "summary";
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      // the session wrote these lines itself
      for (const part of parts) yield JSON.parse(part) as LiveEvent;
    }
  } finally {
    // the session stops telling us before anyone hears the answer
    await reader.cancel().catch(() => undefined);
  }
}
