import type { Message, ToolCall } from "#src/domain/message";
import type { LiveEvent, LiveQuestion, LiveToolCall, TranscriptMessage } from "#src/domain/live";
import { redactSecrets } from "#src/safety/redact-secrets";
import { utf8 } from "#src/lib/encoding";

/** A row as people and programs outside see it; results of one segment become one message each. */
export function toTranscript(message: Message): TranscriptMessage[] {
  const common = {
    kind: message.kind,
    created_at: new Date(message.createdAt).toISOString(),
    turn_id: String(message.turnId),
  };
  if (message.role === "tool") {
    return (message.toolResults ?? []).map((result, index) => ({
      ...common,
      id: `${message.id}.${index}`,
      role: "tool",
      content: result.content,
      tool_call_id: result.callId,
      tool_name: result.name,
      ...(result.isError === true ? { is_error: true } : {}),
    }));
  }
  return [
    {
      ...common,
      id: String(message.id),
      role: message.role,
      content: message.display ?? message.content,
      // what a model wrote into a call runs as it is, and is shown without secrets
      ...(message.toolCalls === undefined ? {} : { tool_calls: message.toolCalls.map(shownCall) }),
      ...(message.attachments === undefined ? {} : { attachments: message.attachments }),
      ...(message.author === undefined ? {} : { author: message.author }),
    },
  ];
}

function shownCall(call: ToolCall): ToolCall {
  return { ...call, arguments: redactSecrets(call.arguments, "log") };
}

/** Everyone who watches a session: WebSockets, which outlive the object's memory, and streams, which do not. */
export interface LiveHub {
  readonly hasWatchers: () => boolean;
  send(event: LiveEvent): void;
  message(message: Message): void;
  /** The growing answer, whole; watchers hear only what is new. */
  text(turnId: number, text: string): void;
  tool(turnId: number, call: LiveToolCall): void;
  question(turnId: number, question: LiveQuestion | undefined): void;
  turnStarted(turnId: number): void;
  turnEnded(turnId: number): void;
  /** What is going on right now, for someone who has just come. */
  now(): Pick<Extract<LiveEvent, { type: "hello" }>, "live" | "question">;
  /** A stream of events as lines of JSON; ends when the reader goes. */
  open(first: LiveEvent): ReadableStream<Uint8Array>;
}

export function openLiveHub(ctx: DurableObjectState): LiveHub {
  const streams = new Set<ReadableByteStreamController>();
  let live: { turnId: number; text: string; tools: Map<string, LiveToolCall> } | undefined;
  let question: LiveQuestion | undefined;

  function hasWatchers(): boolean {
    return streams.size > 0 || ctx.getWebSockets().length > 0;
  }

  function send(event: LiveEvent): void {
    if (!hasWatchers()) return;
    const json = JSON.stringify(event);
    for (const socket of ctx.getWebSockets()) {
      try {
        socket.send(json);
      } catch {
        socket.close(1011, "gone"); // closed while we wrote: its client comes back and reads on from where it was
      }
    }
    // a stream takes its bytes over: each gets its own
    for (const controller of streams) {
      try {
        controller.enqueue(utf8(`${json}\n`));
      } catch {
        streams.delete(controller); // its reader went away
      }
    }
  }

  function turn(turnId: number): { turnId: number; text: string; tools: Map<string, LiveToolCall> } {
    if (live?.turnId !== turnId) {
      live = { turnId, text: "", tools: new Map() };
      send({ type: "turn", turn_id: String(turnId), state: "started" });
    }
    return live;
  }

  return {
    hasWatchers,
    send,
    message(message) {
      if (live !== undefined && message.role === "assistant" && message.turnId === live.turnId) live.text = "";
      if (!hasWatchers()) return;
      for (const one of toTranscript(message)) send({ type: "message", message: one });
    },
    text(turnId, text) {
      const current = turn(turnId);
      const grows = text.length >= current.text.length && text.startsWith(current.text);
      const offset = grows ? current.text.length : 0;
      current.text = text;
      if (!grows || text.length > offset)
        send({ type: "delta", turn_id: String(turnId), offset, text: text.slice(offset) });
    },
    tool(turnId, call) {
      turn(turnId).tools.set(call.id, call);
      send({ type: "tool", turn_id: String(turnId), call });
    },
    question(turnId, next) {
      const before = question;
      question = next;
      if (next !== undefined) send({ type: "question", turn_id: String(turnId), question: next });
      else if (before !== undefined) send({ type: "question_closed", turn_id: String(turnId), id: before.id });
    },
    turnStarted: (turnId) => void turn(turnId),
    turnEnded(turnId) {
      if (live?.turnId === turnId) live = undefined;
      send({ type: "turn", turn_id: String(turnId), state: "ended" });
    },
    now() {
      return {
        ...(live === undefined
          ? {}
          : { live: { turn_id: String(live.turnId), text: live.text, tools: [...live.tools.values()] } }),
        ...(question === undefined ? {} : { question }),
      };
    },
    open(first) {
      let mine: ReadableByteStreamController | undefined;
      return new ReadableStream({
        type: "bytes", // RPC carries only streams of bytes
        start(controller) {
          mine = controller;
          streams.add(controller);
          controller.enqueue(utf8(`${JSON.stringify(first)}\n`));
        },
        cancel() {
          if (mine !== undefined) streams.delete(mine);
        },
      });
    },
  };
}
