import type { Plugin } from "#src/domain/plugin";

/** `/boot`: works through BOOT.md of the workspace, after what is being done now. */
export const boot: Plugin = {
  name: "boot",
  register(ctx) {
    ctx.registerCommand({
      name: "boot",
      summary: "Work through BOOT.md.",
      busy: "dispatch",
      ownerOnly: true,
      async run(_args, context) {
        // what the agent may not read, this may not read either: the same hooks and rules stand before it
        const text = await context.dispatchTool("read_file", { path: "BOOT.md" });
        if (!text.startsWith("1|")) return { reply: text };
        return { effects: [{ type: "queue", text: `Work through this checklist and report in one line.\n\n${text}` }] };
      },
    });
  },
};
