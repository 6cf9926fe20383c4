import type { IncomingMessage, Server } from "node:http";

export interface ReceivedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
export function createReceiver(options: {
  readonly secret: string;
  readonly decide: (event: ReceivedEvent, request: IncomingMessage) => unknown;
  readonly log?: (error: unknown) => void;
}): Server;
export function listen(receiver: Server, port: number): void;
