import * as z from "zod";
import { utf8 } from "#src/lib/encoding";
import { defineTool, failure } from "./define-tool";
import { filePath } from "./text-file";

/** Absolute, and not in the workspace. */
const ELSEWHERE = /^\/(?!workspace\/)/;
/** A real shell has folders of its own; the model would look for the file there. */
const NOT_SHARED =
  " Commands will not find it: the shell has only the files below /workspace, in its working directory.";

/** Writes a whole file of the workspace. */
export const writeFile = defineTool({
  name: "write_file",
  toolset: "file",
  description:
    "Write a whole file in the workspace: it is created with its folders, or replaced entirely. To change a part of a " +
    "file, use patch instead.",
  schema: z.object({
    path: filePath,
    content: z.string().describe("The complete text of the file"),
  }),
  effect: "idempotent",
  parallel: { access: "write", paths: ({ path }) => [path] },
  async execute({ path, content }, { workspace, callKey }) {
    const before = await workspace.stat(path);
    if (before?.isDirectory === true) return failure(`${path} is a folder; give the path of a file.`);
    const bytes = utf8(content);
    await workspace.writeFile(path, bytes, callKey);
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    const done = before === undefined ? "Created" : "Replaced";
    const size = `${counted(lines, "line")}, ${counted(bytes.length, "byte")}`;
    const isApart = workspace.processes !== undefined && ELSEWHERE.test(path);
    return { content: `${done} ${path}: ${size}.${isApart ? NOT_SHARED : ""}` };
  },
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
