import type { LiveCommand, LiveEvent, TranscriptMessage } from "#src/domain/live";

/** A session as the list of sessions has it. */
export interface SessionRow {
  readonly key: string;
  readonly platform: string;
  readonly title?: string;
  /** The beginning of its latest message. */
  readonly preview?: string;
  /** ISO 8601; a session that nobody has written in has none. */
  readonly updated_at?: string;
}

/** `GET /api/sessions`. */
export interface SessionsPage {
  readonly sessions: readonly SessionRow[];
  /** What the next page begins before. */
  readonly next?: number;
}

/** `GET /api/sessions/:key/messages`. */
export interface MessagesPage {
  readonly messages: readonly TranscriptMessage[];
}

/** What a session tells, by the name of the event. */
export type EventOf<Type extends LiveEvent["type"]> = Extract<LiveEvent, { readonly type: Type }>;

/** Reads what came over the socket. */
export function readEvent(text: string): LiveEvent {
  // from our own server, which writes it by this type; text in it becomes nothing but text nodes
  return JSON.parse(text) as LiveEvent;
}

/** Writes what goes over the socket. */
export function writeCommand(command: LiveCommand): string {
  return JSON.stringify(command);
}
