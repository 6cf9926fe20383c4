import type { Command } from "#src/domain/command";
import { quoted } from "./markdown";

/** `/whoami`: who the agent takes a person for, spelled as settings want it. */
export const whoami: Command = {
  name: "whoami",
  summary: "Show who you are to me.",
  busy: "reject",
  run(_args, { user, platform, profile }) {
    const name = user.name === undefined ? "" : ` (${quoted(user.name)})`;
    const role = user.isOwner ? "You are an owner." : "You may talk to me; you are not an owner.";
    return { reply: `You are ${quoted(`${platform}:${user.id}`)}${name}. ${role} Profile: ${quoted(profile)}.` };
  },
};
