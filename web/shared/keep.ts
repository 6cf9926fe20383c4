/** What a browser keeps for this site, under names of ours. */
interface Keep {
  readonly get: (name: string) => string | null;
  readonly set: (name: string, value: string) => void;
  readonly remove: (name: string) => void;
}

/** What every page and tab of the site sees. */
export const kept = open("localStorage");
/** What this tab alone sees. */
export const keptHere = open("sessionStorage");

/** Storage that a browser may refuse: then it lasts as long as the page. */
function open(storageName: "localStorage" | "sessionStorage"): Keep {
  const fallback = new Map<string, string>();
  function reach<T>(work: (storage: Storage) => T, otherwise: () => T): T {
    try {
      return work(globalThis[storageName]);
    } catch {
      return otherwise();
    }
  }
  return {
    get: (name) =>
      reach(
        (storage) => storage.getItem(`talaria.${name}`),
        () => fallback.get(name) ?? null,
      ),
    set: (name, value) =>
      reach<unknown>(
        (storage) => storage.setItem(`talaria.${name}`, value),
        () => fallback.set(name, value),
      ),
    remove: (name) =>
      reach<unknown>(
        (storage) => storage.removeItem(`talaria.${name}`),
        () => fallback.delete(name),
      ),
  };
}
