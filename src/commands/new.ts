import type { Command } from "#src/domain/command";
import { quoted } from "./markdown";
import { readTitle } from "./read-title";

/** `/new [title]`: begins a new conversation in the same chat. */
export const newConversation: Command = {
  name: "new",
  aliases: ["reset"],
  summary: "Begin a new conversation; the old one is kept, but no longer counts.",
  usage: "[title]",
  busy: "interrupt",
  run(args) {
    const read = readTitle(args);
    if ("problem" in read) return { reply: `${read.problem} Nothing was changed.` };
    const { title } = read;
    if (title === "") return { reply: "✨ New conversation.", effects: [{ type: "new_epoch" }] };
    return { reply: `✨ New conversation: ${quoted(title)}.`, effects: [{ type: "new_epoch", title }] };
  },
};
