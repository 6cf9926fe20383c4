/** How a scripted response goes on after its pieces. */
export type Ending = "close" | "open" | "break";

/** A response whose body comes in these pieces, one read each; it closes, stays open for ever, or breaks. */
export function pieces(
  parts: readonly (string | Uint8Array)[],
  ending: Ending = "close",
  init: ResponseInit = {},
): Response {
  const encoder = new TextEncoder();
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts[at++];
      if (part !== undefined) controller.enqueue(typeof part === "string" ? encoder.encode(part) : part);
      else if (ending === "close") controller.close();
      else if (ending === "break") controller.error(new Error("Network connection lost."));
      else return new Promise(() => undefined);
      return undefined;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" }, ...init });
}

/** Server-sent events of JSON values, ending with the usual mark. */
export function events(...values: readonly unknown[]): string {
  return `${values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A chunk of Chat Completions with this delta. */
export function chunk(delta: unknown, finishReason: string | null = null): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}
