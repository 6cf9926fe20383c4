import type { Command } from "#src/domain/command";

/** `/hooks ...`: shows, approves and tries what hooks run. */
export const hooks: Command = {
  name: "hooks",
  summary: "See, approve and try the hooks.",
  usage: "[list|status|on|off|approve|revoke|enable|disable|show|test|doctor|review|log|deliveries|help]",
  ownerOnly: true,
  busy: "dispatch",
  async run(args, context) {
    return { reply: await context.hooks(args) };
  },
};
