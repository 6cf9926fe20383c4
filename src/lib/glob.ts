/** Patterns that the braces of one may stand for; more are cut off. */
const MAX_ALTERNATIVES = 64;

/**
 * Makes a test of a file pattern: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`. A pattern without a
 * slash is about the name alone. Takes time in proportion to pattern times path, whatever the pattern.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const hasFolders = pattern.includes("/");
  const alternatives = expandBraces(pattern.replace(/^\.?\//, "")).map((one) => one.split("/").map(segmentOf));
  return (path) => {
    const parts = path.replace(/^\.?\//, "").split("/");
    const tested = hasFolders ? parts : parts.slice(-1);
    return alternatives.some((segments) => matchSequence(segments, tested, isGlobstar, matchSegment));
  };
}

/** One name of a pattern; `**` is any number of folders. */
type Segment = "**" | readonly Token[];

type Token = { readonly kind: "any" } | { readonly kind: "one"; readonly matches: (char: string) => boolean };

function expandBraces(pattern: string): string[] {
  let patterns = [pattern];
  for (;;) {
    const expanded = patterns.flatMap((one) => {
      const [, before = "", inner, after = ""] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one) ?? [];
      return inner === undefined ? [one] : inner.split(",").map((choice) => before + choice + after);
    });
    if (expanded.length === patterns.length) return expanded;
    if (expanded.length > MAX_ALTERNATIVES) return expanded.slice(0, MAX_ALTERNATIVES);
    patterns = expanded;
  }
}

function segmentOf(text: string): Segment {
  return text === "**" ? "**" : tokensOf(text);
}

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = [];
  for (const [piece] of segment.matchAll(/\*+|\?|\[[!^]?\]?[^\]]*\]|\\?./gsu)) {
    if (piece.startsWith("*")) tokens.push({ kind: "any" });
    else if (piece === "?") tokens.push({ kind: "one", matches: () => true });
    else if (piece.startsWith("[") && piece.length > 2)
      tokens.push({ kind: "one", matches: charClass(piece.slice(1, -1)) });
    else
      tokens.push({
        kind: "one",
        matches: (char) => char === (piece.length > 1 && piece.startsWith("\\") ? piece.slice(1) : piece),
      });
  }
  return tokens;
}

function charClass(inner: string): (char: string) => boolean {
  const isNegated = /^[!^]/.test(inner);
  const ranges = Array.from((isNegated ? inner.slice(1) : inner).matchAll(/(.)-(.)|(.)/gsu), ([, from, to, single]) => [
    from ?? single ?? "",
    to ?? single ?? "",
  ]);
  return (char) => ranges.some(([from = "", to = ""]) => from <= char && char <= to) !== isNegated;
}

function isGlobstar(segment: Segment): boolean {
  return segment === "**";
}

function matchSegment(segment: Segment, name: string): boolean {
  return segment !== "**" && matchSequence(segment, Array.from(name), isAny, matchChar);
}

function isAny(token: Token): boolean {
  return token.kind === "any";
}

function matchChar(token: Token, char: string): boolean {
  return token.kind === "one" && token.matches(char);
}

/** Matches a row of patterns against a row of items. Only the latest "any number" is ever taken back, so it cannot run away. */
function matchSequence<Pattern, Item>(
  patterns: readonly Pattern[],
  items: readonly Item[],
  isAny: (pattern: Pattern) => boolean,
  matches: (pattern: Pattern, item: Item) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let anyAt = -1;
  let resumeAt = 0;
  while (i < items.length) {
    const pattern = patterns[p];
    const item = items[i];
    if (pattern !== undefined && isAny(pattern)) {
      anyAt = p++;
      resumeAt = i;
    } else if (pattern !== undefined && item !== undefined && matches(pattern, item)) {
      p += 1;
      i += 1;
    } else if (anyAt === -1) {
      return false;
    } else {
      p = anyAt + 1;
      i = ++resumeAt;
    }
  }
  return patterns.slice(p).every(isAny);
}
