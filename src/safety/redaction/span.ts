/** A part of a text and what stands there instead. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The text with each part replaced. Parts that overlap go together; of their replacements the shortest stands. */
export function applySpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, replacement } of merged(spans)) {
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

/** Parts that do not overlap, in order. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else result[result.length - 1] = together(last, span);
  }
  return result;
}

function together(first: Span, second: Span): Span {
  const isFirst = first.replacement.length <= second.replacement.length || first.start < second.start;
  const { replacement } = isFirst ? first : second;
  return { start: first.start, end: Math.max(first.end, second.end), replacement };
}
