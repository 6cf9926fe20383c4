/**
 * A command line without its comments: what stands in them is never run, and may only be there to persuade a reader.
 * Quotes are heeded; of a here-document, lines that begin with `#` go too.
 */
export function stripComments(command: string): string {
  let kept = "";
  let quote = "";
  for (let at = 0; at < command.length; at += 1) {
    const char = command[at] ?? "";
    if (quote === "" && char === "#" && isWordStart(command[at - 1])) {
      const end = command.indexOf("\n", at);
      if (end === -1) break;
      at = end - 1;
      continue;
    }
    kept += char;
    if (char === "\\" && quote !== "'") {
      at += 1;
      kept += command[at] ?? "";
    } else if (char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
  }
  return kept.replaceAll(/[ \t]+$/gm, "");
}

function isWordStart(before: string | undefined): boolean {
  return before === undefined || " \t\n;&|()".includes(before);
}
