import type { Command } from "#src/domain/command";

/** `/deny`: refuses what the agent asks about. */
export const deny: Command = {
  name: "deny",
  summary: "Refuse what I am asking about.",
  busy: "dispatch",
  run(_args, { session }) {
    if (session.isWaitingForApproval !== true) return { reply: "I am not asking for anything." };
    return { effects: [{ type: "answer_approval", choice: "deny" }] };
  },
};
