/** A wrangler.toml without its containers, line by line: whatever else it says stays as it is written. */
export function withoutContainers(toml: string): string {
  let isContainer = false;
  const kept = toml.split("\n").filter((line) => {
    const [, table] = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}/.exec(line) ?? [];
    if (table !== undefined) isContainer = /(?:^|\.)containers(?:\.|$)/.test(table);
    return !isContainer;
  });
  return kept.join("\n");
}
