import { GatewayError } from "#src/domain/errors";
import { normalizePath } from "#src/lib/posix-path";

/** One place of a file that a patch changes. */
export interface PatchHunk {
  /** Lines named behind `@@`, outermost first: the change is behind them. */
  readonly anchors: readonly string[];
  /** Lines as they are, context included. */
  readonly before: readonly string[];
  /** Lines as they shall be, context included. */
  readonly after: readonly string[];
  /** The change is at the very end of the file. */
  readonly isAtEnd: boolean;
}

export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly PatchHunk[] };

// models do not always put exactly one blank behind the stars
const HEADER = /^\*\*\*\s*(Add|Update|Delete|Move)\s+File:\s*(.+?)\s*$/;
const MOVE_TO = /^\*\*\*\s*Move\s+to:\s*(.+?)\s*$/i;
const BEGIN = /^\s*\*\*\*\s*Begin\s+Patch\s*$/;
const END = /^\s*\*\*\*\s*End\s+Patch\s*$/;
const END_OF_FILE = /^\*\*\*\s*End\s+of\s+File\s*$/i;

/** Every path that a patch names, without a look at its hunks; empty when it names none. */
export function patchPaths(patch: string): string[] {
  return patch.split(/\r?\n/).flatMap((line) => {
    const [, kind, path = ""] = HEADER.exec(line) ?? [];
    if (kind === "Move") return movePaths(path) ?? [path];
    const target = kind === undefined ? MOVE_TO.exec(line)?.[1] : path;
    return target === undefined ? [] : [target];
  });
}

/**
 * Reads a patch in the V4A format: `*** Begin Patch`, file headers, `@@` hunks, `*** End Patch`. What stands around the
 * two marks is ignored, and the marks themselves may be missing.
 *
 * @throws GatewayError `bad_request`, its sentence names the line
 */
export function parsePatch(patch: string): PatchOperation[] {
  const lines = patchLines(patch);
  const operations: PatchOperation[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line === undefined || line.text.trim() === "") {
      at += 1;
      continue;
    }
    const [, kind, path = ""] = HEADER.exec(line.text) ?? [];
    if (kind === undefined)
      throw wrong(line, "is not a header: *** Add File, *** Update File, *** Delete File or *** Move File");
    const next = lines.findIndex((other, index) => index > at && HEADER.test(other.text));
    const end = next === -1 ? lines.length : next;
    // the expression names no other kinds
    const read = READERS[kind as keyof typeof READERS];
    operations.push(withNormalPaths(read(path, lines.slice(at + 1, end), line)));
    at = end;
  }
  if (operations.length === 0) throw new GatewayError("bad_request", "The patch names no file.");
  return operations;
}

/** One spelling for each path, so that operations on the same file meet. */
function withNormalPaths(operation: PatchOperation): PatchOperation {
  const path = normalizePath(operation.path);
  if (operation.kind !== "update" || operation.moveTo === undefined) return { ...operation, path };
  return { ...operation, path, moveTo: normalizePath(operation.moveTo) };
}

interface Line {
  readonly text: string;
  /** Counted from 1 in the patch as it came. */
  readonly number: number;
}

function patchLines(patch: string): Line[] {
  const lines = patch.split(/\r?\n/).map((text, index) => ({ text, number: index + 1 }));
  const begin = lines.findIndex(({ text }) => BEGIN.test(text));
  const end = lines.findIndex(({ text }, index) => index > begin && END.test(text));
  return lines.slice(begin + 1, end === -1 ? lines.length : end);
}

type Reader = (path: string, body: readonly Line[], header: Line) => PatchOperation;

const READERS: Readonly<Record<"Add" | "Update" | "Delete" | "Move", Reader>> = {
  Add: (path, body) => ({ kind: "add", path, lines: withoutBlankEnd(body).map(addedLine) }),
  Delete: (path, body) => {
    const stray = body.find(({ text }) => text.trim() !== "");
    if (stray !== undefined) throw wrong(stray, "stands below *** Delete File, which has no lines");
    return { kind: "delete", path };
  },
  Move: (path, body, header) => {
    const [from, to] = movePaths(path) ?? [];
    if (from === undefined || to === undefined) throw wrong(header, "does not read *** Move File: old -> new");
    return { kind: "update", path: from, moveTo: to, hunks: readHunks(body) };
  },
  Update: (path, body, header) => {
    const moveTo = MOVE_TO.exec(body[0]?.text ?? "")?.[1];
    const hunks = readHunks(moveTo === undefined ? body : body.slice(1));
    if (moveTo !== undefined) return { kind: "update", path, moveTo, hunks };
    if (hunks.length === 0) throw wrong(header, "has no hunks below it");
    return { kind: "update", path, hunks };
  },
};

function movePaths(text: string): [string, string] | undefined {
  const [, from, to] = /^(.+?)\s*->\s*(.+)$/.exec(text) ?? [];
  return from === undefined || to === undefined ? undefined : [from, to];
}

/** Blank lines before the next header are for the eye; lines of the file begin with a mark. */
function withoutBlankEnd(body: readonly Line[]): readonly Line[] {
  return body.slice(0, body.findLastIndex(({ text }) => text.trim() !== "") + 1);
}

function addedLine(line: Line): string {
  if (line.text === "") return "";
  if (!line.text.startsWith("+")) throw wrong(line, "must begin with + as every line of an added file");
  return line.text.slice(1);
}

function readHunks(body: readonly Line[]): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let open: Hunk | undefined;
  const close = (): void => {
    if (open !== undefined && open.lines.length > 0) hunks.push(closeHunk(open));
    open = undefined;
  };
  for (const line of withoutBlankEnd(body)) {
    if (line.text.startsWith("@@")) {
      // several @@ lines without anything between them lead, one inside the other, to one place
      if (open !== undefined && open.lines.length > 0) close();
      open = { anchors: [...(open?.anchors ?? []), ...anchorOf(line.text)], lines: [], isAtEnd: false };
    } else if (END_OF_FILE.test(line.text)) {
      if (open !== undefined) open = { ...open, isAtEnd: true };
      close();
    } else {
      open ??= { anchors: [], lines: [], isAtEnd: false };
      open.lines.push(line);
    }
  }
  close();
  return hunks;
}

interface Hunk {
  readonly anchors: readonly string[];
  readonly lines: Line[];
  readonly isAtEnd: boolean;
}

/** The line named behind `@@`; the line numbers of a unified diff are ignored, since models miscount. */
function anchorOf(text: string): string[] {
  const anchor = text
    .replace(/^@@\s*-\d+(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@/, "")
    .replace(/^@@/, "")
    .trim();
  return anchor === "" ? [] : [anchor];
}

function closeHunk({ anchors, lines, isAtEnd }: Hunk): PatchHunk {
  const before: string[] = [];
  const after: string[] = [];
  for (const line of withoutBlankTail(lines)) {
    const mark = line.text.slice(0, 1);
    const text = line.text.slice(1);
    // an empty line is an empty line of context, whose blank an editor took away
    if (mark !== "" && mark !== " " && mark !== "-" && mark !== "+") {
      throw wrong(line, "must begin with a blank (context), - or +");
    }
    if (mark !== "+") before.push(text);
    if (mark !== "-") after.push(text);
  }
  return { anchors, before, after, isAtEnd };
}

/** Empty lines between two hunks are for the eye. */
function withoutBlankTail(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== "") + 1);
}

function wrong(line: Line, what: string): GatewayError {
  const shown = line.text.length > 80 ? `${line.text.slice(0, 80).toWellFormed()}…` : line.text;
  return new GatewayError("bad_request", `Line ${line.number} of the patch (${JSON.stringify(shown)}) ${what}.`);
}
