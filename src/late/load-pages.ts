/** A page as it is sent, and the hashes of all that it may run. */
export interface LatePage {
  readonly html: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** The pages that people open, as `scripts/build-late.ts` builds them from `web`. */
interface LatePages {
  readonly pages: Readonly<Record<"index" | "hooks", LatePage>>;
}

let loaded: LatePages | undefined;

/** Loads the pages: texts that only browsers ask for, and messengers never. */
export async function loadPages(): Promise<LatePages["pages"]> {
  // not its promise: one that belongs to an object that was ended never settles for the others
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the file may not be built when types are checked
  loaded ??= (await import("./dist/pages.js" as string)) as LatePages;
  return loaded.pages;
}
