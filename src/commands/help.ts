import type { Command } from "#src/domain/command";
import { nearestWord } from "#src/lib/nearest-word";
import { quoted } from "./markdown";
import { findCommand } from "./parse-command";

/** `/help [command]`: all commands, or one of them in detail. */
export const help: Command = {
  name: "help",
  summary: "List the commands, or explain one.",
  usage: "[command]",
  busy: "dispatch",
  run(args, { commands, user }) {
    const usable = commands.filter((command) => command.ownerOnly !== true || user.isOwner);
    const [asked = ""] = args.replace(/^\//, "").split(/\s/, 1);
    if (asked === "") return { reply: ["**Commands**", ...usable.map(listed)].join("\n") };
    const command = findCommand(asked, usable);
    if (command !== undefined) return { reply: explain(command) };
    const names = usable.map(({ name }) => name);
    const near = nearestWord(asked, names);
    const hint =
      near === undefined ? `There are: ${names.map((name) => `/${name}`).join(", ")}.` : `Did you mean /${near}?`;
    return { reply: `There is no command ${quoted(asked)}. ${hint}` };
  },
};

function listed(command: Command): string {
  return `- ${syntax(command)}: ${command.summary}`;
}

function explain(command: Command): string {
  const { aliases = [] } = command;
  return [
    `${syntax(command)}: ${command.summary}`,
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `/${alias}`).join(", ")}`]),
    ...(command.ownerOnly === true ? ["Only for the owner."] : []),
    WHILE_BUSY[command.busy],
  ].join("\n");
}

const WHILE_BUSY: Readonly<Record<Command["busy"], string>> = {
  dispatch: "Works while I am busy.",
  interrupt: "While I am busy, it stops me first.",
  reject: "Has to wait while I am busy.",
};

function syntax({ name, usage }: Command): string {
  return `\`/${name}${usage === undefined ? "" : ` ${usage}`}\``;
}
