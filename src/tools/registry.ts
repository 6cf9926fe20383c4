import type { AnyTool } from "#src/domain/tool";
import { clarify } from "./clarify";
import { delegateTask } from "./delegate-task";
import { executeCode } from "./execute-code";
import { memory } from "./memory";
import { patch } from "./patch";
import { process } from "./process";
import { readFile } from "./read-file";
import { searchFiles } from "./search-files";
import { terminal } from "./terminal";
import { todo } from "./todo";
import { writeFile } from "./write-file";

/** Every tool, in the order in which models read them. A new tool is one file and one line here. */
export const tools: readonly AnyTool[] = [
  terminal,
  process,
  executeCode,
  readFile,
  writeFile,
  patch,
  searchFiles,
  todo,
  memory,
  clarify,
  delegateTask,
];
