import type { ChildResult } from "#src/domain/delegation";
import type { InboundEvent } from "#src/domain/platform";
import type { SessionScope } from "#src/domain/session-key";
import type { TurnOrigin } from "#src/domain/turn";
import { SUBAGENT, childKey, noteChild, tellChildStopped } from "./session-children";
import type { Arrival, IngestResult } from "./session-accept";
import type { SessionCore } from "./session-core";
import type { Route } from "./session-deliveries";
import { hooksOf } from "./session-hooks";
import { costOf } from "./session-spending";
import type { ParentFacts } from "./session-store";

/** Platform of a background subagent's turns: their answers are owed to the parent's session. */
export const REPORT = "report";

/** The way to a parent's session: it drops what it has heard before, so a report may be sent as often as it takes. */
export function reportRoute(env: Env): Route {
  return {
    adapter: {
      limits: { textLength: 1_000_000, unit: "utf16", bodyBytes: 1_000_000 },
      delivery: { idempotent: true },
    },
    client: {
      async send(target, message, { key }) {
        const { chatId: parentKey, threadId: id = "" } = target;
        await env.SESSIONS.getByName(parentKey).hearReport(key, id, message.markdown ?? "");
        return { messageId: key };
      },
    },
  };
}

/** A parent's words to its child. */
export function taskArrival(
  scope: SessionScope,
  key: string,
  words: string,
  parent: ParentFacts,
  now: number,
): Arrival {
  const reports = parent.reportTo !== undefined;
  const origin: TurnOrigin = {
    platform: reports ? REPORT : SUBAGENT,
    target: reports ? { chatId: parent.key, threadId: scope.chatId } : { chatId: scope.chatId },
    user: { id: "agent", isOwner: false },
    ...(parent.hook === undefined ? {} : { hook: parent.hook }),
  };
  return { event: wordsEvent(`delegate:${key}`, words, scope.chatId, now), platform: SUBAGENT, asAgent: { origin } };
}

function wordsEvent(key: string, text: string, chatId: string, now: number): InboundEvent {
  return {
    kind: "message",
    eventId: key,
    dedupeKeys: [key],
    messageId: key,
    chatId,
    chatType: "dm",
    userId: "agent",
    userName: "agent",
    text,
    rawText: text,
    mentionsBot: true,
    replyToBot: false,
    addressed: true,
    attachments: [],
    isFromBot: false,
    target: { chatId },
    at: now,
  };
}

/** How a subagent's conversation ended: its last words, what they were, and what it has cost. */
export function resultOf(core: SessionCore): ChildResult {
  const rows = core.rows();
  const costUsd = costOf(core.store);
  const said = rows.findLast((row) => row.role === "assistant" && (row.kind === "chat" || row.kind === "notice"));
  const asked = rows.findLast((row) => row.role === "user" && row.kind === "chat");
  const summary = said?.content ?? "";
  const durationMs = said === undefined || asked === undefined ? 0 : Math.max(0, said.createdAt - asked.createdAt);
  const result = { summary, durationMs, costUsd };
  if (said?.kind === "chat") return { status: "completed", ...result };
  return { status: summary.endsWith("⏹ Stopped.") ? "interrupted" : "failed", ...result };
}

/** Takes in what the system has to tell an agent that is not a person's word: a process that ended. Once for each key. */
export async function hearNotice(
  core: SessionCore,
  scope: SessionScope,
  key: string,
  text: string,
  ingest: (arrival: Arrival) => Promise<IngestResult>,
): Promise<void> {
  const { platform, account, chatId, threadId, userId } = scope;
  const target = { chatId, ...(threadId === undefined ? {} : { threadId }) };
  const user = { id: userId ?? chatId, isOwner: false };
  const origin: TurnOrigin = { platform, target, user, ...(account === undefined ? {} : { account }) };
  await ingest({ event: wordsEvent(`notice:${key}`, text, chatId, core.now()), platform, asAgent: { origin } });
}

/** Takes in what a subagent answered that nobody waited for. A second arrival with the same key changes nothing. */
export async function hearReport(
  core: SessionCore,
  key: string,
  id: string,
  text: string,
  ingest: (arrival: Arrival) => Promise<IngestResult>,
): Promise<void> {
  const child = core.store.exists() ? core.store.children().find((one) => one.id === id) : undefined;
  if (child?.reportTo === undefined) return;
  const { hooks } = await core.environment();
  const session = core.childSession(childKey(core.key, id));
  const ended = await session.childResult(false);
  const result = { ...ended, summary: text, durationMs: core.now() - child.startedAt };
  if (child.status === "running") {
    const about = { id: child.turnId, origin: child.reportTo };
    const more = await tellChildStopped(core, hooksOf(core, hooks, { origin: child.reportTo }), id, result, about);
    if (more !== undefined) {
      await session.heed(`${key}.more`, more);
      return;
    }
  }
  const words = `[Subagent ${id} has finished. Its task was: ${child.goal}]\n\n${text}`;
  const event = wordsEvent(`report:${key}`, words, child.reportTo.target.chatId, core.now());
  await ingest({ event, platform: child.reportTo.platform, asAgent: { origin: child.reportTo } });
  noteChild(core, id, { status: result.status }, result.costUsd);
}
