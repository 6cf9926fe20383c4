/** Two files of this many changed lines times each other are compared line by line; larger ones as one block. */
const MAX_CELLS = 4_000_000;
const CONTEXT_LINES = 3;

interface Change {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** A unified diff of two texts, without its file headers; empty when they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const changes = diffLines(linesOf(before), linesOf(after));
  return hunksOf(changes).join("\n");
}

/** Lines of a text. The one that has no newline carries the words that diffs mark it with, and so differs from one that has. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function diffLines(a: readonly string[], b: readonly string[]): Change[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const keep = (lines: readonly string[]): Change[] => lines.map((text) => ({ mark: " ", text }));
  return [
    ...keep(a.slice(0, head)),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...keep(a.slice(a.length - tail)),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  const width = b.length + 1;
  const isSmall = (a.length + 1) * width <= MAX_CELLS;
  // common[i * width + j]: how many lines the rests from i and j on have in common
  const common = isSmall ? new Uint16Array((a.length + 1) * width) : new Uint16Array(0);
  for (let i = isSmall ? a.length - 1 : -1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
      common[i * width + j] = a[i] === b[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : skip;
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const canDrop =
      i < a.length && (j === b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0));
    if (isSmall && i < a.length && j < b.length && a[i] === b[j]) {
      changes.push({ mark: " ", text: a[i++] ?? "" });
      j += 1;
    } else if (canDrop) changes.push({ mark: "-", text: a[i++] ?? "" });
    else changes.push({ mark: "+", text: b[j++] ?? "" });
  }
  return changes;
}

/** Cuts the changes into hunks with a few lines of context around. */
function hunksOf(changes: readonly Change[]): string[] {
  const hunks: string[] = [];
  let at = changes.findIndex(({ mark }) => mark !== " ");
  while (at !== -1) {
    const start = Math.max(0, at - CONTEXT_LINES);
    const end = hunkEnd(changes, at);
    hunks.push(renderHunk(changes, start, end));
    at = changes.findIndex(({ mark }, index) => index >= end && mark !== " ");
  }
  return hunks;
}

/** Where the hunk ends that has its first change at `at`: changes with little between them belong together. */
function hunkEnd(changes: readonly Change[], at: number): number {
  let lastChange = at;
  for (let index = at; index < changes.length && index - lastChange <= 2 * CONTEXT_LINES; index++) {
    if (changes[index]?.mark !== " ") lastChange = index;
  }
  return Math.min(changes.length, lastChange + CONTEXT_LINES + 1);
}

function renderHunk(changes: readonly Change[], start: number, end: number): string {
  const before = changes.slice(0, start);
  const hunk = changes.slice(start, end);
  const range = (without: "+" | "-"): string => {
    const count = hunk.filter(({ mark }) => mark !== without).length;
    const first = before.filter(({ mark }) => mark !== without).length + (count === 0 ? 0 : 1);
    return `${first},${count}`;
  };
  return [`@@ -${range("+")} +${range("-")} @@`, ...hunk.map(({ mark, text }) => mark + text)].join("\n");
}
