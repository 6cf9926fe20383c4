import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

/** What Hermes hands its `post_tool_call` hooks; the names of its events work here as they are. */
const ToolEnd = z.object({
  tool_name: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: z.string(),
  status: z.string(),
  session_id: z.string(),
  duration_ms: z.number(),
});

/** Writes a line of JSON for every tool call. Names and sizes only: arguments and results may hold secrets. */
export const logToolCalls: Plugin = {
  name: "log-tool-calls",
  register(ctx) {
    ctx.registerHook("post_tool_call", (event) => {
      const { tool_name: tool, args, result, status, session_id: session, duration_ms: ms } = ToolEnd.parse(event);
      console.log(JSON.stringify({ tool, arguments: Object.keys(args), chars: result.length, status, ms, session }));
    });
  },
};
