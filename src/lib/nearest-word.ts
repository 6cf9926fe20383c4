/** The candidate that a mistyped word most likely meant, or undefined when none is near. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const wanted = plain(word);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly candidate: string; readonly distance: number; readonly edits: number } | undefined;
  for (const candidate of candidates) {
    const { distance, edits } = compare(wanted, plain(candidate));
    const isNearer =
      best === undefined || distance < best.distance || (distance === best.distance && edits < best.edits);
    if (distance <= allowed && isNearer) best = { candidate, distance, edits };
  }
  return best?.candidate;
}

/** Case and word marks are what differs most often: `filePath`, `file-path` and `file_path` are one word. */
function plain(word: string): string {
  return word
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
}

/** Nearness as numbers: the edits between two words, of which one counts when one word holds the other. */
function compare(a: string, b: string): { readonly distance: number; readonly edits: number } {
  const edits = editDistance(a, b);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const holds = short.length >= 3 && long.includes(short);
  return { distance: holds ? Math.min(edits, 1) : edits, edits };
}

/** Letters to insert, drop, change or swap with their neighbour until one word is the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(change, swap, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
