import { GatewayError } from "#src/domain/errors";
import type { DeliveryRecord } from "#src/domain/turn";
import { wait } from "#src/lib/abortable";
import { splitText } from "#src/lib/split-text";
import { type DeliveryPorts, RECOVERED_MARK } from "./deliver";

/** Milliseconds that an answer may still end in before its beginning is shown: most short ones never need an edit. */
const FIRST_AFTER_MS = 200;
/** Times that the platform may ask to slow down before the answer stops growing and only its end is sent. */
const MAX_STRIKES = 3;

export interface GrowingPorts extends Pick<DeliveryPorts, "adapter" | "client" | "save" | "signal" | "now"> {
  /** The record to begin with; its row is written by the first `save`. */
  readonly begin: () => DeliveryRecord;
  /** What an earlier life had begun of this answer. */
  readonly resume?: DeliveryRecord;
  /** Characters before the first message is sent. */
  readonly threshold: number;
  /** Milliseconds between reaching them and sending; 200 when absent. */
  readonly firstAfterMs?: number;
  /** Nothing is owed from before: an answer must not overtake an earlier one. */
  readonly mayBegin: () => boolean;
}

/** An answer that a person can watch being written: one message, sent once it says something, then edited. */
export interface GrowingMessage {
  /** The answer so far, whole. Cheap: the platform hears of it in its own time. */
  grow(text: string): void;
  /** Ends the growing and resolves once no request is under way, with the record as far as it came. */
  settle(): Promise<GrownMessage>;
  /** The record of what was or may have been sent; undefined while nothing was. */
  record(): DeliveryRecord | undefined;
}

export interface GrownMessage {
  readonly record: DeliveryRecord | undefined;
  /** The first send was cut off without an answer. */
  readonly isUnconfirmed: boolean;
  readonly shown: string;
}

export function growMessage(ports: GrowingPorts): GrowingMessage {
  const intervalMs = ports.adapter.delivery.editIntervalMs;
  const ended = new AbortController();
  let latest = "";
  let shown = "";
  let record = ports.resume;
  // a first send that an earlier life left open is settled at the end: until then nothing more is shown
  let isUnconfirmed = record?.parts[0]?.state === "sending";
  let strikes = isUnconfirmed ? MAX_STRIKES : 0;
  let pump: Promise<void> | undefined;

  async function first(text: string): Promise<void> {
    const started = ports.save({ ...ports.begin(), state: "growing", parts: [{ state: "sending" }] });
    record = started;
    shown = text;
    try {
      const { messageId } = await ports.client.send(
        started.origin.target,
        { markdown: text },
        { key: `${started.key}.0`, signal: ports.signal },
      );
      record = { ...started, parts: [{ state: "sent", messageId }] };
      // once the text stands, its own record has been written over this one
      if (!ended.signal.aborted) ports.save(record);
    } catch (error) {
      strikes = MAX_STRIKES; // the end will be sent with retries; growing is a courtesy
      isUnconfirmed = !(error instanceof GatewayError) || error.code === "unconfirmed" || error.code === "aborted";
      if (isUnconfirmed) return;
      record = { ...started, parts: [] };
      if (!ended.signal.aborted) ports.save(record);
    }
  }

  async function editTo(text: string, at: DeliveryRecord, messageId: string): Promise<void> {
    try {
      await ports.client.edit?.(
        at.origin.target,
        messageId,
        { markdown: text },
        { key: `${at.key}.0`, signal: ports.signal },
      );
      shown = text;
    } catch (error) {
      shown = ""; // what stands there now is not known: the end edits it in any case
      strikes += 1;
      const asked = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0;
      await wait(asked, ended.signal).catch(() => undefined);
    }
  }

  async function run(firstWaitMs: number): Promise<void> {
    if (firstWaitMs > 0) await wait(firstWaitMs, ended.signal).catch(() => undefined);
    while (!ended.signal.aborted && strikes < MAX_STRIKES) {
      const text = head(latest, ports);
      if (text === shown || text.length < ports.threshold) return;
      const part = record?.parts[0];
      if (record === undefined) {
        if (ports.mayBegin()) await first(text);
      } else if (part?.state === "sent") await editTo(text, record, part.messageId);
      else return;
      await wait(intervalMs ?? 0, ended.signal).catch(() => undefined);
    }
  }

  return {
    grow(text) {
      latest = text;
      if (intervalMs === undefined || text === "" || pump !== undefined) return;
      if (text.length < ports.threshold && record === undefined) return;
      const firstWaitMs = record === undefined ? (ports.firstAfterMs ?? FIRST_AFTER_MS) : 0;
      pump = run(firstWaitMs).finally(() => {
        pump = undefined;
      });
    },
    async settle() {
      ended.abort();
      await pump;
      return { record, isUnconfirmed, shown };
    },
    record: () => record,
  };
}

/** The part of the text that the first message can hold. */
function head(text: string, ports: GrowingPorts): string {
  const { textLength, unit } = ports.adapter.limits;
  return splitText(text, { limit: textLength - RECOVERED_MARK.length, unit })[0] ?? "";
}
