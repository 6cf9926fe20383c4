import type { Command } from "#src/domain/command";

/** `/deny [reason]`: refuses what the agent asks about. `all` is Hermes' word; here one question is asked at a time. */
export const deny: Command = {
  name: "deny",
  summary: "Refuse what I am asking about.",
  usage: "[reason]",
  busy: "dispatch",
  run(args, { session }) {
    if (session.isWaitingForApproval !== true) return { reply: "I am not asking for anything." };
    const reason = args.replace(/^all(?=\s|$)/i, "").trim();
    return { effects: [{ type: "answer_approval", choice: "deny", ...(reason === "" ? {} : { reason }) }] };
  },
};
