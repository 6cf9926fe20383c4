import type { Command } from "#src/domain/command";

/** Turns that `/compress here` keeps as they are when no number is given. */
const KEEP_TURNS = 2;

/** `/compress [here [N]|--preview|topic]`: makes a summary of what was said before. */
export const compress: Command = {
  name: "compress",
  aliases: ["compact"],
  summary: "Make a summary of what was said before, so that there is room for more.",
  usage: "[here [turns]|--preview|topic]",
  busy: "reject",
  async run(args, context) {
    return { reply: await context.compress(read(args)) };
  },
};

function read(args: string): { isPreview?: true; keepTurns?: number; focus?: string } {
  const words = args.trim();
  if (words === "--preview" || words === "preview") return { isPreview: true };
  const here = /^here(?:\s+(\d{1,4}))?$/i.exec(words);
  if (here !== null) return { keepTurns: here[1] === undefined ? KEEP_TURNS : Number(here[1]) };
  return words === "" ? {} : { focus: words.slice(0, 500) };
}
