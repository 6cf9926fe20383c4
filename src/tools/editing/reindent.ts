/**
 * Indents a replacement as the file is indented where the wanted text was found. `found` has the lines of `wanted`,
 * each perhaps at another depth: lines of the replacement lie as deep as the lines that they stand for.
 */
export function reindent(replacement: string, wanted: string, found: string): string {
  const want = wanted.split("\n");
  const got = found.split("\n");
  const lines = replacement.split("\n");
  const depths = depthsOf(want, got);
  const isParallel = lines.length === want.length;
  return lines
    .map((line, i) => {
      if (line.trim() === "") return line;
      const indent = indentOf(line);
      const isInPlace = isParallel && indentOf(want[i] ?? "") === indent && (want[i] ?? "").trim() !== "";
      const unchanged = isInPlace ? i : want.findIndex((other) => other === line);
      const depth = unchanged === -1 ? depthFor(indent, depths) : indentOf(got[unchanged] ?? "");
      return depth + line.slice(indent.length);
    })
    .join("\n");
}

/** For each indentation of the wanted text, the one that its first line has in the file. */
function depthsOf(want: readonly string[], got: readonly string[]): ReadonlyMap<string, string> {
  const depths = new Map<string, string>();
  for (const [i, line] of want.entries()) {
    const indent = indentOf(line);
    if (line.trim() !== "" && !depths.has(indent)) depths.set(indent, indentOf(got[i] ?? ""));
  }
  return depths;
}

function depthFor(indent: string, depths: ReadonlyMap<string, string>): string {
  const outer = Array.from(depths.keys())
    .filter((known) => indent.startsWith(known))
    .sort((a, b) => b.length - a.length)[0];
  if (outer !== undefined) return (depths.get(outer) ?? "") + indent.slice(outer.length);
  // less deep than anything that was wanted: as much less deep in the file
  const [known = "", depth = ""] = depths.entries().next().value ?? [];
  return depth.slice(0, Math.max(0, depth.length - (known.length - indent.length)));
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
