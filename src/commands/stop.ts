import type { Command } from "#src/domain/command";

/** `/stop`: ends the running turn, which then says so itself. */
export const stop: Command = {
  name: "stop",
  summary: "Stop what I am doing.",
  busy: "interrupt",
  run(_args, { session }) {
    if (session.running === undefined) return { reply: "I am not doing anything right now." };
    return { effects: [{ type: "stop" }] };
  },
};
