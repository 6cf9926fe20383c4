import { resolvePath } from "#src/lib/posix-path";
import { cutContext } from "./cut-context";

/** What a project wants every agent in it to know. */
export interface ContextFile {
  readonly path: string;
  /** As the model reads it: cut to its bound, or a sentence when it was kept away from the model. */
  readonly text: string;
  readonly isBlocked: boolean;
}

export interface ContextFilePorts {
  /** A file's text; undefined when there is none. */
  readonly read: (path: string) => Promise<string | undefined>;
  /** Paths of the files of one folder. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Why a text must not be shown to a model, in a word or two. */
  readonly scan: (text: string) => string | undefined;
}

export interface ContextPlace {
  /** Where the agent works. */
  readonly cwd: string;
  /** The folder of the project, at or above `cwd`. */
  readonly root: string;
  /** Characters of each file. */
  readonly maxChars: number;
}

/** Folders between the project's and the agent's that are looked into. */
const MAX_FOLDERS = 16;
const MAX_RULES = 30;
const OWN_NAMES = [".hermes.md", "HERMES.md"];
/** The first of them that a folder has stands for it. */
const AGENTS_NAMES = ["AGENTS.override.md", "AGENTS.md", "agents.md"];
const CLAUDE_NAMES = ["CLAUDE.md", "claude.md"];

/**
 * Finds what a project says to agents. One kind of file is enough, in this order: `.hermes.md` nearest to the agent;
 * `AGENTS.md` of every folder from the project's down; `CLAUDE.md`; Cursor's rules. Never throws: what cannot be read
 * is not there.
 */
export async function collectContextFiles(
  place: ContextPlace,
  ports: ContextFilePorts,
): Promise<readonly ContextFile[]> {
  const folders = foldersBetween(place);
  const own = await firstOf(
    [...folders].reverse().flatMap((folder) => inFolder(folder, OWN_NAMES)),
    ports,
  );
  if (own !== undefined) return [finish({ ...own, text: withoutFrontmatter(own.text) }, place, ports)];
  const agents = await Promise.all(folders.map((folder) => firstOf(inFolder(folder, AGENTS_NAMES), ports)));
  const distinct = withoutRepeats(agents.filter((file) => file !== undefined));
  if (distinct.length > 0) return distinct.map((file) => finish(file, place, ports));
  const claude = await firstOf(inFolder(place.cwd, CLAUDE_NAMES), ports);
  if (claude !== undefined) return [finish(claude, place, ports)];
  return (await cursorRules(place.cwd, ports)).map((file) => finish(file, place, ports));
}

/** The file in which somebody says who the agent is; undefined when there is none, or it must not be shown. */
export async function readSoul(folder: string, maxChars: number, ports: ContextFilePorts): Promise<string | undefined> {
  const file = await firstOf(inFolder(folder, ["SOUL.md"]), ports);
  if (file === undefined || ports.scan(file.text) !== undefined) return undefined;
  return cutContext(file.text, maxChars, file.path);
}

interface Found {
  readonly path: string;
  readonly text: string;
}

/** The project's folder first, the agent's last. */
function foldersBetween({ cwd, root }: ContextPlace): readonly string[] {
  const top = resolvePath("/", root);
  const bottom = resolvePath(top, cwd);
  if (bottom !== top && !bottom.startsWith(top === "/" ? "/" : `${top}/`)) return [bottom];
  const names = bottom
    .slice(top.length)
    .split("/")
    .filter((name) => name !== "");
  const folders = names.map((_, index) => resolvePath(top, names.slice(0, index + 1).join("/")));
  return [top, ...folders].slice(-MAX_FOLDERS);
}

function inFolder(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => resolvePath(folder, name));
}

/** The first file that is there and says something. */
async function firstOf(paths: readonly string[], { read }: ContextFilePorts): Promise<Found | undefined> {
  for (const path of paths) {
    const text = await read(path).catch(() => undefined);
    const bare = text?.replace(/^\uFEFF/, "").trim() ?? "";
    if (bare !== "") return { path, text: bare };
  }
  return undefined;
}

async function cursorRules(folder: string, ports: ContextFilePorts): Promise<readonly Found[]> {
  const listed = await ports.list(resolvePath(folder, ".cursor/rules")).catch((): readonly string[] => []);
  const rules = listed
    .filter((path) => path.endsWith(".mdc"))
    .toSorted()
    .slice(0, MAX_RULES);
  const paths = [resolvePath(folder, ".cursorrules"), ...rules];
  const found = await Promise.all(paths.map((path) => firstOf([path], ports)));
  return found.flatMap((file) => (file === undefined ? [] : [{ ...file, text: withoutFrontmatter(file.text) }]));
}

function withoutRepeats(files: readonly Found[]): readonly Found[] {
  return files.filter(({ text }, index) => files.findIndex((other) => other.text === text) === index);
}

/** Settings for other programs at a file's beginning, between two lines of dashes. */
function withoutFrontmatter(text: string): string {
  return text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n?/, "").trim();
}

function finish({ path, text }: Found, { maxChars }: ContextPlace, { scan }: ContextFilePorts): ContextFile {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const reason = scan(text);
  if (reason === undefined) return { path, text: cutContext(text, maxChars, path), isBlocked: false };
  const blocked = `[BLOCKED: ${name} contained potential prompt injection (${reason}). Content not loaded.]`;
  return { path, text: blocked, isBlocked: true };
}
