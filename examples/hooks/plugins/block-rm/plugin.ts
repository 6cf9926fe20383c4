import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

const Call = z.object({ data: z.object({ input: z.object({ command: z.string() }) }) });

/** Refuses `rm -rf`, however its flags are written. It reads text, so it stops mistakes and not malice. */
export const blockRm: Plugin = {
  name: "block-rm",
  register(ctx) {
    ctx.registerHook(
      "tool.pre",
      (event) =>
        isForcedDelete(Call.parse(event).data.input.command)
          ? { decision: "deny", reason: "rm -rf is not allowed here. Name the files, or ask the person." }
          : undefined,
      // only commands with an rm in them come here, and a guard that fails lets none of them through
      { matcher: { tool: "terminal", command: String.raw`\brm\b` }, onFailure: "deny" },
    );
  },
};

function isForcedDelete(command: string): boolean {
  return command.split(/[;&|\n()]/).some((part) => {
    const words = part.trim().split(/\s+/);
    const at = words.findIndex((word) => word === "rm" || word.endsWith("/rm"));
    const flags = at === -1 ? [] : words.slice(at + 1).filter((word) => word.startsWith("-"));
    const isRecursive = flags.some((flag) => flag === "--recursive" || /^-\w*[rR]/.test(flag));
    return isRecursive && flags.some((flag) => flag === "--force" || /^-\w*f/.test(flag));
  });
}
