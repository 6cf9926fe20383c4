import type { ProviderState } from "./provider";

/** A picture or file of a message, by reference: bytes live in the media store, never in a message row. */
export interface Attachment {
  readonly kind: "image" | "voice" | "audio" | "video" | "file" | "sticker" | "location";
  /** The platform's own id of the file. */
  readonly id?: string;
  /** Where the platform offers it. Untrusted: only the adapter that made it may fetch it. */
  readonly url?: string;
  readonly mime?: string;
  readonly name?: string;
  /** Bytes, as the platform says. */
  readonly size?: number;
  /** Key in the media store, once the bytes were fetched. */
  readonly mediaKey?: string;
  /** Where the workspace has a copy that tools can read. */
  readonly path?: string;
  /** Why the bytes are not here, in words for the model: too large, gone, not fetched. */
  readonly problem?: string;
}

/** One call that a model asked for. */
export interface ToolCall {
  /** Id that pairs the call with its result; unique within the conversation. */
  readonly id: string;
  readonly name: string;
  /** Raw JSON text, as the model wrote it; may be invalid. */
  readonly arguments: string;
}

/** What one tool call gave back, as it is kept and as the model reads it. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly isError?: boolean;
  readonly durationMs?: number;
}

/**
 * Why a row of the conversation is there, when role alone does not say it.
 * - `command`: a slash command and its reply; people see it, the model never does.
 * - `steer`: a person's word into a running turn, shown to the model beside the latest tool result.
 * - `partial`: an answer that a person's correction cut off; the model sees it as unfinished.
 * - `answer`: a person's reply to a question of the agent; the model reads it as that call's result.
 * - `hook`: what a hook said when the agent wanted to stop; the model reads it as a user's word, people do not.
 * - `note`: what a hook tells the person beside the answer; the model does not see it.
 * - `summary`: what a conversation's older part became for the model, which reads it in that part's place.
 * - `notice`: a sentence of the system's own as the answer (a failure, a stop); the model does not see it.
 */
export type MessageKind = "chat" | "command" | "steer" | "partial" | "answer" | "hook" | "note" | "summary" | "notice";

/** One row of the conversation. A `tool` row holds the results of one segment, so it may speak for several calls. */
export interface Message {
  /** Grows within the session; also the order in which things were accepted or committed. */
  readonly id: number;
  readonly turnId: number;
  readonly role: "user" | "assistant" | "tool";
  readonly kind: MessageKind;
  /** Text of the message; empty for a row that only calls tools. */
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolResults?: readonly ToolResult[];
  /** What the provider that wrote it wants to see again with it. */
  readonly providerState?: ProviderState;
  readonly attachments?: readonly Attachment[];
  /** What people are shown instead of the content, by a hook's wish. */
  readonly display?: string;
  /** Who wrote it, for conversations that several people share. */
  readonly author?: { readonly id: string; readonly name?: string };
  /** The platform's id of the message that it came from. */
  readonly platformMessageId?: string;
  /** Context added beside the user's text for this turn: kept apart so that the text stays as it was typed. */
  readonly context?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}
