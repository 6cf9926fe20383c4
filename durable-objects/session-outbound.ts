import type { DeliveryRecord } from "#src/domain/turn";
import type { SessionCore } from "./session-core";
import type { DeliveriesPorts } from "./session-deliveries";
import { hooksOf } from "./session-hooks";

/** What hooks are told of a message on its way to a chat. */
type Outbound = Omit<SessionCore, "media">;

function outboundData(record: DeliveryRecord) {
  return { channel: record.origin.platform, target: record.origin.target.chatId, text: record.text, type: "text" };
}

/** Takes a message past the hooks that stand before every send. */
export async function passOutbound(core: Outbound, record: DeliveryRecord): ReturnType<DeliveriesPorts["pass"]> {
  const { hooks } = await core.environment();
  const scene = { origin: record.origin, turnId: record.turnId };
  const settled = await hooksOf(core, hooks, scene).fire("outbound.message", outboundData(record));
  const { notes } = settled;
  if (settled.outcome === "deny" || settled.outcome === "stop")
    return { withheld: settled.reason ?? "Blocked by hook.", notes };
  return { text: settled.text ?? record.text, notes };
}

/** Tells who watches that a message has arrived; inside the transaction that forgets it. */
export function tellSent(core: Outbound, record: DeliveryRecord): void {
  const hooks = core.hooksNow();
  if (hooks?.listens("outbound.sent") !== true) return;
  const scene = { origin: record.origin, turnId: record.turnId };
  const messageIds = record.parts.flatMap((part) => (part.state === "sent" ? [part.messageId] : []));
  const told = hooksOf(core, hooks, scene).tell([
    { event: "outbound.sent", data: { ...outboundData(record), message_ids: messageIds } },
  ]);
  core.observers.owe(told.owed);
  core.keepAlive(told.call());
}

/** Lets the model know, with the next turn, that what it said has not been sent. */
export function keepWithheld(core: Outbound, record: DeliveryRecord, reason: string): void {
  const content = `[Your last message was not sent to the chat: a hook kept it back. ${reason}]`;
  core.append({ role: "user", kind: "hook", content }, record.turnId === 0 ? undefined : record.turnId);
}

/** Puts what hooks say of a message beside it, in the chat as in the transcript. */
export function keepNotes(core: Outbound, { turnId, origin }: DeliveryRecord, notes: readonly string[]): void {
  const text = notes.filter((note) => note.trim() !== "").join("\n");
  if (text === "") return;
  core.append({ role: "assistant", kind: "note", content: text }, turnId === 0 ? undefined : turnId);
  core.deliveries.owe({ turnId, origin, text, isOwn: true, isOfHooks: true });
}
