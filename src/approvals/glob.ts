/** Longer patterns are not tried. */
const MAX_CHARS = 64;

/** The first of some names that a file pattern would find; one that is of any length and any letters is meant for none. */
export function findByGlob(glob: string, names: readonly string[]): string | undefined {
  if (glob.length > MAX_CHARS || /^[*?]*\*[*?]*$/.test(glob)) return undefined;
  const source = glob
    .replaceAll(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("[!", "[^")
    // several in a row say no more than one, and would be tried in every way
    .replaceAll(/\*+/g, ".*")
    .replaceAll("?", ".");
  try {
    const pattern = new RegExp(`^${source}$`);
    return names.find((name) => pattern.test(name));
  } catch {
    return undefined;
  }
}
