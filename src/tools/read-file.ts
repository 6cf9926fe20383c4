import * as z from "zod";
import { defineTool, failure } from "./define-tool";
import { filePath, readTextFile } from "./text-file";

const DEFAULT_LINES = 500;
const MAX_LINES = 2000;
/** Characters of one line that are shown. */
const MAX_LINE_CHARS = 2000;
/** Characters of one answer; what is left is read with a later offset. */
const MAX_CHARS = 100_000;

/** Reads a text file of the workspace, a range of lines at a time. */
export const readFile = defineTool({
  name: "read_file",
  toolset: "file",
  description:
    "Read a text file of the workspace. Lines come numbered, as `12|text`. Long files are read a part at a time with " +
    "offset and limit.",
  schema: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe("First line, counted from 1"),
    limit: z.int().min(1).max(MAX_LINES).default(DEFAULT_LINES).describe("Lines at most"),
  }),
  effect: "safe",
  parallel: { access: "read", paths: ({ path }) => [path] },
  // the tool bounds itself: a spilled result would be a file to be read with this very tool
  maxResultChars: MAX_CHARS + MAX_LINE_CHARS,
  async execute({ path, offset, limit }, { workspace }) {
    const { text } = await readTextFile(workspace, path);
    if (text === "") return { content: `(${path} is empty)` };
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    if (offset > lines.length) return failure(`${path} has ${lines.length} lines; offset ${offset} is behind its end.`);
    const shown = numbered(lines, offset - 1, limit);
    const last = offset - 1 + shown.length;
    const note =
      last < lines.length ? `\n[lines ${offset}-${last} of ${lines.length}; go on with offset ${last + 1}]` : "";
    return { content: shown.join("\n") + note };
  },
});

/** Lines with their numbers, as many as fit. */
function numbered(lines: readonly string[], start: number, limit: number): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (let index = start; index < Math.min(lines.length, start + limit); index++) {
    const line = `${index + 1}|${cutLine((lines[index] ?? "").replace(/\r$/, ""))}`;
    chars += line.length + 1;
    if (chars > MAX_CHARS && shown.length > 0) break;
    shown.push(line);
  }
  return shown;
}

function cutLine(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  return `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}… [${line.length - MAX_LINE_CHARS} more characters in this line]`;
}
