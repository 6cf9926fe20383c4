import type { Attachment, MessageKind, ToolCall } from "./message";

/** A message as people and programs outside see it: `/api/sessions/:key/messages` and the WebSocket. */
export interface TranscriptMessage {
  /** Number of its row; a tool row of several results gives `12.0`, `12.1`. Sorts by the row, then by the part. */
  readonly id: string;
  readonly role: "user" | "assistant" | "tool";
  readonly kind: MessageKind;
  readonly content: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly is_error?: boolean;
  readonly attachments?: readonly Attachment[];
  readonly author?: { readonly id: string; readonly name?: string };
  /** ISO 8601. */
  readonly created_at: string;
  readonly turn_id: string;
}

/** A tool call while it happens. */
export interface LiveToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly state: "running" | "done" | "failed";
}

/** A question that a turn waits on. Pressing a choice sends its `value` back as an action. */
export interface LiveQuestion {
  readonly id: string;
  readonly text: string;
  readonly choices: readonly {
    readonly label: string;
    readonly value: string;
    readonly style?: "primary" | "danger";
  }[];
}

/** What the session tells everyone who watches it. One JSON object a WebSocket message or SSE event. */
export type LiveEvent =
  /** First event of a connection: everything after the `after` that the client gave, then what is going on. */
  | {
      readonly type: "hello";
      /** `epoch` counts the conversations: another one than before means that what is shown is of an earlier one. */
      readonly session: {
        readonly key: string;
        readonly epoch: number;
        readonly title?: string;
        readonly model: string;
      };
      readonly messages: readonly TranscriptMessage[];
      readonly live?: { readonly turn_id: string; readonly text: string; readonly tools: readonly LiveToolCall[] };
      readonly question?: LiveQuestion;
    }
  /** A row was committed. An assistant row replaces the text that was growing. */
  | { readonly type: "message"; readonly message: TranscriptMessage }
  | { readonly type: "turn"; readonly turn_id: string; readonly state: "started" | "ended" }
  /** The latest of what a running command prints. */
  | { readonly type: "progress"; readonly turn_id: string; readonly call_id: string; readonly text: string }
  /** The growing answer: `text` belongs at `offset` (UTF-16 units); offset 0 begins it anew. */
  | { readonly type: "delta"; readonly turn_id: string; readonly offset: number; readonly text: string }
  | { readonly type: "tool"; readonly turn_id: string; readonly call: LiveToolCall }
  | { readonly type: "question"; readonly turn_id: string; readonly question: LiveQuestion }
  | { readonly type: "question_closed"; readonly turn_id: string; readonly id: string }
  /** What was shown is no longer what stands: read the transcript again (`/new`, `/undo`, `/retry`). */
  | { readonly type: "reload" }
  | { readonly type: "error"; readonly message: string };

/** What a WebSocket client may send. */
export type LiveCommand =
  /** `id` is the client's own: a second arrival is a no-op. At most 255 characters. */
  | { readonly type: "send"; readonly id: string; readonly text: string }
  | { readonly type: "action"; readonly id: string; readonly value: string }
  | { readonly type: "stop" };
