import { GatewayError } from "#src/domain/errors";
import type { OutboundFile, OutboundMessage, PlatformAdapter, PlatformClient } from "#src/domain/platform";
import type { DeliveryPart, DeliveryRecord } from "#src/domain/turn";
import { splitText } from "#src/lib/split-text";
import { deliveryBackoffMs } from "./delivery-backoff";

/** What stands before a text that may be there already: the person can then tell a second copy from a second answer. */
export const RECOVERED_MARK = "♻️ Sent again after an interruption: you may see this twice.\n\n";
/** How long before its record a message may have been sent, by the platform's clock. */
const CLOCK_SLACK_MS = 60_000;

/** What a delivery needs of the world. `save` and `remove` are one row each; a new record gets its id by `save`. */
export interface DeliveryPorts {
  readonly adapter: Pick<PlatformAdapter, "limits" | "delivery">;
  readonly client: PlatformClient;
  readonly save: (record: DeliveryRecord) => DeliveryRecord;
  readonly remove: (record: DeliveryRecord) => void;
  /** Reads a file of the answer; undefined when it is gone. */
  readonly readFile: (path: string) => Promise<OutboundFile | undefined>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
  /** Tries that end in a failure which may pass; being asked to slow down does not count. */
  readonly maxAttempts: number;
  /** Milliseconds after which an undelivered message is given up. */
  readonly giveUpAfterMs: number;
}

/** How a record came into this run: what its parts say is read in that light. */
export interface DeliveryStart {
  /** A part that says `sending` may have arrived: it was cut off by a crash or a timeout, not just committed. */
  readonly isUnconfirmed: boolean;
  /** The first message shows something other than its final text. */
  readonly needsEdit: boolean;
}

/**
 * Hands one final record over, message by message, each committed as `sending` before its request. Resolves undefined
 * when all of it was delivered, else the saved record that says when to try again, or that it is dead. Never throws.
 */
export async function deliver(
  record: DeliveryRecord,
  start: DeliveryStart,
  ports: DeliveryPorts,
): Promise<DeliveryRecord | undefined> {
  const items = itemsOf(record, ports.adapter);
  let current = record;
  let unconfirmed = start.isUnconfirmed;
  for (let index = start.needsEdit ? 0 : firstOpen(record); index < items.length; index++) {
    const item = items[index];
    if (item === undefined) break;
    if (current.parts[index] === undefined) {
      current = ports.save(withPart(current, index, { state: "sending" }));
    }
    try {
      const messageId = await handOver(item, index, current, unconfirmed, ports);
      current = withPart(current, index, { state: "sent", messageId });
    } catch (error) {
      return afterFailure(current, index, error, ports);
    }
    unconfirmed = false;
    if (index + 1 < items.length && current.parts[index + 1] === undefined) {
      current = ports.save(withPart(current, index + 1, { state: "sending" }));
    }
  }
  ports.remove(current);
  return undefined;
}

type Item = { readonly message: OutboundMessage } | { readonly path: string };

function itemsOf(record: DeliveryRecord, adapter: DeliveryPorts["adapter"]): readonly Item[] {
  const { textLength, unit } = adapter.limits;
  const chunks = record.text === "" ? [] : splitText(record.text, { limit: textLength - RECOVERED_MARK.length, unit });
  const texts = chunks.map((markdown, index) => {
    const isLast = index === chunks.length - 1;
    return { message: isLast && record.buttons !== undefined ? { markdown, buttons: record.buttons } : { markdown } };
  });
  return [...texts, ...(record.files ?? []).map((path) => ({ path }))];
}

function firstOpen(record: DeliveryRecord): number {
  const open = record.parts.findIndex((part) => part.state === "sending");
  return open === -1 ? record.parts.length : open;
}

/** What the platform knows of a message that was cut off; `unknown` where it cannot say. */
type Settled = { readonly messageId: string } | "absent" | "unknown";

/** Brings one message to the platform and resolves with its id there. */
async function handOver(
  item: Item,
  index: number,
  record: DeliveryRecord,
  unconfirmed: boolean,
  ports: DeliveryPorts,
): Promise<string> {
  const { client } = ports;
  const part = record.parts[index];
  const options = { key: `${record.key}.${index}`, signal: ports.signal };
  const message = await messageOf(item, ports);
  const settled = part?.state === "sent" ? part : unconfirmed ? await settle(index, record, ports) : "absent";
  if (typeof settled === "object") {
    if (client.edit === undefined || message.file !== undefined) return settled.messageId;
    if (await edited(settled.messageId, message, record, options, ports)) return settled.messageId;
  }
  const sent = await client.send(record.origin.target, settled === "unknown" ? marked(message) : message, options);
  return sent.messageId;
}

/** Asks the platform whether a message that was cut off is there. One that drops doubles needs no question. */
async function settle(index: number, record: DeliveryRecord, ports: DeliveryPorts): Promise<Settled> {
  if (ports.adapter.delivery.idempotent) return "absent";
  if (ports.client.findSent === undefined) return "unknown";
  const options = { sinceMs: record.createdAt - CLOCK_SLACK_MS, signal: ports.signal };
  try {
    return (await ports.client.findSent(record.origin.target, `${record.key}.${index}`, options)) ?? "absent";
  } catch (error) {
    // history may be closed to us (a missing scope): then nobody can say
    if (error instanceof GatewayError && error.code === "refused") return "unknown";
    throw error;
  }
}

/** Edits a message of ours; false when the platform says that it cannot be edited any more. */
async function edited(
  messageId: string,
  message: OutboundMessage,
  record: DeliveryRecord,
  options: { key: string; signal: AbortSignal },
  ports: DeliveryPorts,
): Promise<boolean> {
  try {
    await ports.client.edit?.(record.origin.target, messageId, message, options);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "refused") return false;
    throw error;
  }
}

async function messageOf(item: Item, ports: DeliveryPorts): Promise<OutboundMessage> {
  if ("message" in item) return item.message;
  const file = await ports.readFile(item.path);
  return file === undefined ? { markdown: `(The file ${item.path} is not there any more.)` } : { markdown: "", file };
}

function marked(message: OutboundMessage): OutboundMessage {
  return { ...message, markdown: `${RECOVERED_MARK}${message.markdown}` };
}

/** What a failed try leaves: when it may be tried again, or that it is over. */
function afterFailure(record: DeliveryRecord, index: number, error: unknown, ports: DeliveryPorts): DeliveryRecord {
  const failure =
    error instanceof GatewayError
      ? error
      : new GatewayError("refused", "The message could not be made ready to send.", { cause: error });
  if (!(error instanceof GatewayError)) console.error("delivery failed by our own mistake", error);
  const after = retryOf(record, failure, ports);
  // what was surely not accepted is no longer in doubt; the rest stays `sending` until it is settled
  const keepsDoubt =
    failure.code === "unconfirmed" || failure.code === "aborted" || record.parts[index]?.state === "sent";
  const next = keepsDoubt ? after : { ...after, parts: record.parts.slice(0, index) };
  return ports.save(next);
}

function retryOf(record: DeliveryRecord, failure: GatewayError, ports: DeliveryPorts): DeliveryRecord {
  const now = ports.now();
  const wasAsked = failure.code === "rate_limited" || failure.code === "aborted";
  const attempts = record.attempts + (wasAsked ? 0 : 1);
  const mayPass = wasAsked || failure.code === "unavailable" || failure.code === "unconfirmed";
  const isOver = !mayPass || attempts >= ports.maxAttempts || now - record.createdAt > ports.giveUpAfterMs;
  if (isOver) return { ...record, attempts, state: "dead", error: failure.message };
  // being asked to slow down uses up no try: the record's age then makes the waits grow
  const seconds = Math.max(0, now - record.createdAt) / 1000;
  const failures = wasAsked ? 1 + Math.floor(Math.log2(1 + seconds)) : attempts;
  const waitMs = deliveryBackoffMs(failures, failure.retryAfterMs, ports.random);
  return { ...record, attempts, nextAt: now + waitMs, error: failure.message };
}

function withPart(record: DeliveryRecord, index: number, part: DeliveryPart): DeliveryRecord {
  const parts = [...record.parts];
  parts[index] = part;
  return { ...record, parts };
}
