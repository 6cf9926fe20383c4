import type { Command, CommandContext } from "#src/domain/command";
import { counted, grouped, lasting, quoted } from "./markdown";

/** `/status`: what this conversation is and what goes on in it. */
export const status: Command = {
  name: "status",
  summary: "Show this conversation and what I am doing.",
  busy: "dispatch",
  run(_args, { session, sessionKey, now }) {
    const { model, usage } = session;
    const lines = [
      `**${session.title === undefined ? "Conversation" : "Title"}:** ${session.title === undefined ? "no title yet" : quoted(session.title)}`,
      `**Session:** ${quoted(sessionKey)}`,
      `**Model:** ${quoted(model.name)} (${model.provider})${model.isOverride ? ", chosen for this conversation" : ""}`,
      `**Messages:** ${grouped(session.messageCount)}, begun ${lasting(now - session.startedAt)} ago`,
      `**Tokens:** ${grouped(usage.inputTokens)} in, ${grouped(usage.outputTokens)} out, ${counted(usage.calls, "call")}`,
      `**Now:** ${activity(session, now)}`,
    ];
    return { reply: lines.join("\n") };
  },
};

function activity({ running, queued }: CommandContext["session"], now: number): string {
  const waiting = queued === 0 ? "" : `; ${counted(queued, "message")} waiting`;
  if (running === undefined) return `idle${waiting}`;
  const doing = running.doing === "" ? "" : `: ${quoted(running.doing)}`;
  return `working for ${lasting(now - running.startedAt)}, ${counted(running.steps, "step")}${doing}${waiting}`;
}
