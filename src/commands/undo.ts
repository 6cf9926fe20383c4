import type { Command } from "#src/domain/command";
import { quoted } from "./markdown";

/** Most exchanges that one command takes back. */
const MAX_TURNS = 100;

/** `/undo [N]`: takes back the last exchanges, so that the model no longer sees them. */
export const undo: Command = {
  name: "undo",
  summary: "Take back the last exchange, or the last N.",
  usage: "[N]",
  busy: "reject",
  run(args, { session }) {
    const turns = args === "" ? 1 : Number(args);
    if (!/^\d*$/.test(args) || turns < 1 || turns > MAX_TURNS) {
      return {
        reply: `${quoted(args)} is not a number of exchanges. Say \`/undo\`, or \`/undo 3\`; at most ${MAX_TURNS}.`,
      };
    }
    if (session.messageCount === 0) return { reply: "There is nothing to take back yet." };
    const what = turns === 1 ? "The last exchange is" : `The last ${turns} exchanges, or as many as there were, are`;
    return { reply: `↩️ ${what} taken back.`, effects: [{ type: "undo", turns }] };
  },
};
