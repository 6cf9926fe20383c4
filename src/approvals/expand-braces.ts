import type { WordPart } from "#src/lib/shell/script";

/** Words that the braces of one may stand for; of more it is taken as written. */
const MAX_WORDS = 256;
const MAX_RANGE = 64;

type Item = string | WordPart;
type Items = readonly Item[];

/** What a word with `{a,b}` or `{1..3}` stands for; itself alone when it has no braces to expand. */
export function expandBraces(parts: readonly WordPart[]): readonly (readonly WordPart[])[] {
  const hasBraces = parts.some((part) => part.type === "text" && !part.isQuoted && part.text.includes("{"));
  if (!hasBraces) return [parts];
  const items = parts.flatMap((part): Item[] =>
    part.type === "text" && !part.isQuoted ? Array.from(part.text) : [part],
  );
  if (items.length > 1024) return [parts];
  const words: readonly Items[] | undefined = expandItems(items);
  return words === undefined || words.length < 2 ? [parts] : words.map(toParts);
}

/** Undefined when there would be too many words. */
function expandItems(items: Items): readonly Items[] | undefined {
  const group = findGroup(items);
  if (group === undefined) return [items];
  const before = items.slice(0, group.open);
  const after = expandItems(items.slice(group.close + 1));
  if (after === undefined) return undefined;
  const choices: Items[] = [];
  for (const choice of group.choices) {
    const expanded = expandItems(choice);
    if (expanded === undefined || choices.length + expanded.length > MAX_WORDS) return undefined;
    choices.push(...expanded);
  }
  if (choices.length * after.length > MAX_WORDS) return undefined;
  return choices.flatMap((choice) => after.map((rest) => [...before, ...choice, ...rest]));
}

interface Group {
  readonly open: number;
  readonly close: number;
  readonly choices: readonly Items[];
}

/** The first pair of braces with a comma or a range between them. */
function findGroup(items: Items): Group | undefined {
  const opened: { readonly open: number; readonly commas: number[] }[] = [];
  const groups: Group[] = [];
  items.forEach((item, at) => {
    if (item === "{") opened.push({ open: at, commas: [] });
    else if (item === ",") opened.at(-1)?.commas.push(at);
    else if (item === "}") {
      const group = closeGroup(items, opened.pop(), at);
      if (group !== undefined) groups.push(group);
    }
  });
  // the outermost of those that begin first: its choices hold the others
  return groups.reduce<Group | undefined>(
    (first, group) => (first === undefined || group.open < first.open ? group : first),
    undefined,
  );
}

function closeGroup(
  items: Items,
  opened: { readonly open: number; readonly commas: readonly number[] } | undefined,
  close: number,
): Group | undefined {
  if (opened === undefined) return undefined;
  const { open, commas } = opened;
  if (commas.length === 0) {
    const range = expandRange(items.slice(open + 1, close));
    return range === undefined ? undefined : { open, close, choices: range.map((text) => [text]) };
  }
  const edges = [open, ...commas, close];
  return { open, close, choices: edges.slice(1).map((edge, at) => items.slice((edges[at] ?? open) + 1, edge)) };
}

function expandRange(items: Items): readonly string[] | undefined {
  const text = items.map((item) => (typeof item === "string" ? item : "$")).join("");
  const [, from, to] = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isLetters = /[A-Za-z]/.test(from);
  const first = isLetters ? from.charCodeAt(0) : Number(from);
  const last = isLetters ? to.charCodeAt(0) : Number(to);
  const length = Math.min(Math.abs(last - first) + 1, MAX_RANGE);
  const step = last < first ? -1 : 1;
  return Array.from({ length }, (_, at) => {
    const value = first + step * at;
    return isLetters ? String.fromCharCode(value) : String(value);
  });
}

function toParts(items: Items): WordPart[] {
  const parts: WordPart[] = [];
  let text = "";
  for (const item of items) {
    if (typeof item === "string") text += item;
    else {
      if (text !== "") parts.push({ type: "text", text, isQuoted: false });
      text = "";
      parts.push(item);
    }
  }
  if (text !== "") parts.push({ type: "text", text, isQuoted: false });
  return parts;
}
