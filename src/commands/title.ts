import type { Command } from "#src/domain/command";
import { quoted } from "./markdown";
import { readTitle } from "./read-title";

/** `/title [text]`: shows or sets what this conversation is called. */
export const title: Command = {
  name: "title",
  summary: "Show or set the title of this conversation.",
  usage: "[text]",
  busy: "reject",
  run(args, { session }) {
    const read = readTitle(args);
    if ("problem" in read) return { reply: read.problem };
    if (read.title !== "") {
      return { reply: `Title: ${quoted(read.title)}.`, effects: [{ type: "set_title", title: read.title }] };
    }
    if (args !== "") return { reply: "That title has nothing in it that can be shown." };
    if (session.title === undefined)
      return { reply: "This conversation has no title yet. `/title Summer in Oslo` gives it one." };
    return { reply: `Title: ${quoted(session.title)}.` };
  },
};
