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
  for await (const event of lines(events)) {
    if (event.type === "delta" && event.turn_id === id) {
      const separator = event.offset === 0 && handedOn !== "" && event.text !== "" ? "\n\n" : "";
      text = event.offset === 0 ? event.text : text + event.text;
      if (event.text !== "") await onDelta(separator + event.text);
      handedOn += separator + event.text;
    }
    if (event.type === "message" && event.message.turn_id === id && event.message.role === "assistant") {
      answer = event.message.content;
      // what was never streamed (a command's reply, a notice, a provider without streaming) comes as a whole
      if (answer !== "" && answer !== text) {
        const rest = answer.startsWith(text) ? answer.slice(text.length) : `\n\n${answer}`;
        await onDelta(rest);
        handedOn += rest;
      }
      text = "";
    }
    const isOver = event.type === "turn" && event.turn_id === id && event.state === "ended";
    if (isOver || (event.type === "hello" && endsTurn(event, id)))
      return { text: event.type === "hello" ? lastAnswer(event, id) : answer };
  }
  throw new GatewayError("unavailable", "The session was interrupted; its answer will stand in the transcript.");
}

function endsTurn(event: Extract<LiveEvent, { type: "hello" }>, turnId: string): boolean {
  return event.live?.turn_id !== turnId && lastAnswer(event, turnId) !== "";
}

function lastAnswer(event: Extract<LiveEvent, { type: "hello" }>, turnId: string): string {
  const answers = event.messages.filter(
    (message) => message.turn_id === turnId && message.role === "assistant" && message.tool_calls === undefined,
  );
  return answers.at(-1)?.content ?? "";
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  let rest = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    // the session wrote these lines itself
    for (const part of parts) yield JSON.parse(part) as LiveEvent;
  }
}
