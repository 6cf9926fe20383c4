import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

const Received = z.object({
  data: z.object({
    command: z.string(),
    args: z.string(),
    surface: z.string(),
    user: z.object({ id: z.string() }).optional(),
  }),
});

/** Writes a line of JSON for every slash command: who used which, and where. */
export const logCommands: Plugin = {
  name: "log-commands",
  register(ctx) {
    ctx.registerHook("command.received", (event) => {
      const { command, args, surface, user } = Received.parse(event).data;
      console.log(JSON.stringify({ command: `/${command}`, chars: args.length, surface, user: user?.id }));
    });
  },
};
