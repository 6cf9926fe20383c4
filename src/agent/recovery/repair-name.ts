import { nearestWord } from "#src/lib/nearest-word";

/** What models put around a tool's name: a namespace before it, a number, brackets or their own marks behind it. */
const BEFORE = /^(?:functions?|tools?|default_api|namespace|assistant)[.:/]+/i;
const AFTER = /(?:\(\)|:\d+|<\|.*)$/;
/** Shortest name that is looked for among similar ones. */
const MIN_GUESSED_CHARS = 4;
/** Letters by which a mistyped name may be longer or shorter than what was meant: more is another name. */
const MAX_LENGTH_DIFFERENCE = 2;

/**
 * The tool that a model meant by a name: written otherwise, with a namespace, or mistyped by a letter or two. Undefined
 * when no tool is near: a wrong guess would run something that nobody asked for.
 */
export function repairName(name: string, toolNames: readonly string[]): string | undefined {
  if (toolNames.includes(name)) return name;
  const bare = name
    .trim()
    .replaceAll(/^["'`]+|["'`]+$/g, "")
    .replace(BEFORE, "")
    .replace(AFTER, "");
  if (toolNames.includes(bare)) return bare;
  const letters = plain(bare);
  const equals = toolNames.filter((tool) => plain(tool) === letters || `${plain(tool)}tool` === letters);
  if (equals.length > 0) return equals.length === 1 ? equals[0] : undefined;
  if (letters.length < MIN_GUESSED_CHARS) return undefined;
  const nearest = nearestWord(bare, toolNames);
  if (nearest === undefined || Math.abs(plain(nearest).length - letters.length) > MAX_LENGTH_DIFFERENCE)
    return undefined;
  // a second tool that is as near makes it a guess
  return nearestWord(
    bare,
    toolNames.filter((tool) => tool !== nearest),
  ) === undefined
    ? nearest
    : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
