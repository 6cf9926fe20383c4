import type { Command } from "#src/domain/command";

/** A name, then perhaps the bot that is meant, then a blank and the arguments: `/usr/bin` is a path, `/2` is neither. */
const COMMAND = /^\/([a-z][a-z0-9_-]{0,63})(?:@[^\s@]{1,64})?(?:\s+([\s\S]*))?$/i;

/** Reads a slash command; undefined for everything that is just words. The name comes in lower case. */
export function parseCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  const [, name, args = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
}

/** The command of a name: by its full name or alias, else the first whose name or alias begins with it. */
export function findCommand(name: string, commands: readonly Command[]): Command | undefined {
  const wanted = name.toLowerCase();
  if (wanted === "") return undefined;
  const exact = commands.find((command) => namesOf(command).includes(wanted));
  return exact ?? commands.find((command) => namesOf(command).some((candidate) => candidate.startsWith(wanted)));
}

/** All that a command is called in full. */
export function namesOf({ name, aliases = [] }: Command): readonly string[] {
  return [name, ...aliases];
}
