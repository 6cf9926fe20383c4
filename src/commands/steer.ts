import type { Command } from "#src/domain/command";

/** `/steer text`: a word into the running turn, which goes on. */
export const steer: Command = {
  name: "steer",
  summary: "Tell me something while I go on with what I am doing.",
  usage: "text",
  busy: "dispatch",
  run(args, { session }) {
    if (args === "") return { reply: "What shall I keep in mind? `/steer Only the last two years`" };
    const effects = [{ type: "steer", text: args }] as const;
    // nothing runs: it is a message like any other
    return session.running === undefined ? { effects } : { reply: "👍 I will take that into account.", effects };
  },
};
