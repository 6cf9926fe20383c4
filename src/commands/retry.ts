import type { Command } from "#src/domain/command";

/** `/retry`: takes the last answer back and answers the same message again. */
export const retry: Command = {
  name: "retry",
  summary: "Answer the last message again.",
  busy: "reject",
  run(_args, { session }) {
    if (session.messageCount === 0) return { reply: "There is no message to answer again yet." };
    return { effects: [{ type: "retry" }] };
  },
};
