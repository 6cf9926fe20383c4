import type { Command } from "#src/domain/command";

const WORDS: ReadonlyMap<string, "once" | "session" | "always"> = new Map([
  ["", "once"],
  ["once", "once"],
  ["session", "session"],
  ["always", "always"],
]);

/** `/approve [session|always]`: allows what the agent asks about. */
export const approve: Command = {
  name: "approve",
  summary: "Allow what I am asking about: this once, for the conversation, or always.",
  usage: "[session|always]",
  busy: "dispatch",
  run(args, { session }) {
    const choice = WORDS.get(args.trim().toLowerCase());
    if (choice === undefined) return { reply: "Use `/approve`, `/approve session` or `/approve always`." };
    if (session.isWaitingForApproval !== true) return { reply: "I am not asking for anything." };
    return { effects: [{ type: "answer_approval", choice }] };
  },
};
