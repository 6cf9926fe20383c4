import type { Command } from "#src/domain/command";
import { counted } from "./markdown";

/** `/queue text`: a message that waits for the running turn instead of redirecting it. */
export const queue: Command = {
  name: "queue",
  aliases: ["q"],
  summary: "Say something for after what I am doing now.",
  usage: "text",
  busy: "dispatch",
  run(args, { session }) {
    if (args === "") return { reply: "What shall I do next? `/queue Then send it to Ada`" };
    const effects = [{ type: "queue", text: args }] as const;
    // nothing runs: the answer comes at once, and is enough
    if (session.running === undefined) return { effects };
    const before = session.queued === 0 ? "" : `, after ${counted(session.queued, "other message")}`;
    return { reply: `⏳ That comes next${before}.`, effects };
  },
};
