/** How alike two lines are, from 0 to 1: the share of letter pairs that they have in common. Blanks do not count. */
export function similarity(a: string, b: string): number {
  const left = pairsOf(a);
  const right = pairsOf(b);
  const total = left.length + right.length;
  if (total === 0) return a.trim() === b.trim() ? 1 : 0;
  const open = new Map<string, number>();
  for (const pair of left) open.set(pair, (open.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of right) {
    const count = open.get(pair) ?? 0;
    if (count === 0) continue;
    open.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / total;
}

function pairsOf(line: string): string[] {
  const text = line.replaceAll(/\s+/g, "").slice(0, 500);
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2));
}
