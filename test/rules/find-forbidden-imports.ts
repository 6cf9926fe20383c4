import { type SourceFile, type SourceImport, importsOf } from "./source-files.ts";

/** What the files of one folder may import beside their own folder. */
export interface Floor {
  /** Folders, by the beginning of a path. */
  readonly folders: readonly string[];
  /** Packages by name, their subpaths included; `cloudflare:` stands for the runtime's modules. */
  readonly packages: readonly string[];
  /** Single files outside of the folders, such as bundled texts. */
  readonly files?: readonly string[];
}

/** Every import that its floor does not allow, as a sentence. A folder without a floor is one too. */
export function findForbiddenImports(
  files: readonly SourceFile[],
  floors: Readonly<Record<string, Floor>>,
): readonly string[] {
  return files.flatMap((file) => {
    const folder = Object.keys(floors).find((name) => file.path.startsWith(`${name}/`));
    const floor = folder === undefined ? undefined : floors[folder];
    if (folder === undefined || floor === undefined) return [`${file.path} is in a folder that has no floor`];
    return importsOf(file)
      .filter((imported) => !isAllowed(imported, folder, floor))
      .map(({ specifier }) => `${file.path} must not import ${specifier}`);
  });
}

/** Imports within a folder that take the staircase, or leave it by a path that hides it. */
export function findHiddenStaircases(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier, target, isPackage }) => {
        if (isPackage || !target.startsWith("src/")) return false;
        const isSameFolder = roomOf(target) === roomOf(file.path);
        return specifier.startsWith("#") === isSameFolder;
      })
      .map(
        ({ specifier }) =>
          `${file.path}: write ${specifier.startsWith("#") ? "./…" : "#src/…"} instead of ${specifier}`,
      ),
  );
}

/** `src/<room>`, or the first folder elsewhere. */
export function roomOf(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("src/") ? 2 : 1)
    .join("/");
}

function isAllowed({ target, isPackage }: SourceImport, folder: string, floor: Floor): boolean {
  if (isPackage)
    return floor.packages.some((name) => target === name || target.startsWith(name.endsWith(":") ? name : `${name}/`));
  return (
    [folder, ...floor.folders].some((name) => target.startsWith(`${name}/`)) || (floor.files ?? []).includes(target)
  );
}
