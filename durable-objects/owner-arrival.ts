import type { LiveCommand } from "#src/domain/live";
import type { SessionScope } from "#src/domain/session-key";
import type { Arrival } from "./session-accept";

/** The operator's words into a session, from the page or the API; `isClient`: those of a program with the API's key. */
export function ownerArrival(
  scope: SessionScope,
  command: Exclude<LiveCommand, { type: "stop" }>,
  now: number,
  isClient = false,
): Arrival {
  const { platform, account, chatId, chatType, threadId } = scope;
  const base = {
    eventId: command.id,
    dedupeKeys: [`owner:${command.id}`],
    messageId: command.id,
    chatId,
    chatType,
    userId: isClient ? "client" : "owner",
    userName: isClient ? "client" : "owner",
    mentionsBot: false,
    replyToBot: false,
    addressed: true,
    attachments: [],
    isFromBot: false,
    target: { chatId, ...(threadId === undefined ? {} : { threadId }) },
    at: now,
    ...(threadId === undefined ? {} : { threadId }),
  };
  const event =
    command.type === "send"
      ? ({ ...base, kind: "message", text: command.text.trim(), rawText: command.text } as const)
      : ({
          ...base,
          kind: "button",
          text: "",
          rawText: "",
          action: { id: command.value, value: command.value },
        } as const);
  return { event, platform, asOwner: true, isClient, ...(account === undefined ? {} : { account }) };
}

/** Longest text of one message in characters: as many as the API takes, and well under what a row can hold. */
const MAX_TEXT_CHARS = 500_000;

/** Reads what a WebSocket client sent; undefined when it is none of the commands. */
export function readLiveCommand(data: string): LiveCommand | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  if (value.type === "stop") return { type: "stop" };
  const id =
    "id" in value && typeof value.id === "string" && value.id !== "" && value.id.length <= 255 ? value.id : undefined;
  if (id === undefined) return undefined;
  if (value.type === "send" && "text" in value && typeof value.text === "string" && value.text.length <= MAX_TEXT_CHARS)
    return { type: "send", id, text: value.text };
  if (value.type === "action" && "value" in value && typeof value.value === "string")
    return { type: "action", id, value: value.value };
  return undefined;
}
