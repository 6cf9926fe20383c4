import { planSegments } from "#src/agent/plan-segments";
import type { ToolCall } from "#src/domain/message";
import type { AnyTool, ToolParallel } from "#src/domain/tool";
import { tools } from "#src/tools/registry";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

interface ParallelCase {
  readonly id: string;
  readonly input: { readonly cwd: string; readonly calls: readonly Call[] };
  readonly expected: readonly Kind[];
  readonly better?: readonly Kind[];
}
interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON text; null where a model sent none. */
  readonly arguments: string | null;
}
interface Kind {
  readonly kind: "parallel" | "sequential";
  readonly calls: readonly string[];
}

/** What the placeholder `<cwd>` stands for. */
const CWD = "/home/agent/work";

/** Tools of the cases that are not ours and may run beside any other. The MCP two are so by their server's setting. */
const STAND_INS: ReadonlyMap<string, AnyTool> = new Map(
  [
    "ha_get_state",
    "ha_list_entities",
    "ha_list_services",
    "image_generate",
    "mcp_docs_fetch",
    "mcp_docs_search",
    "session_search",
    "skill_view",
    "skills_list",
    "vision_analyze",
    "web_extract",
    "web_search",
  ].map((name): [string, AnyTool] => [name, standIn(name, "always")]),
);
const OURS: ReadonlyMap<string, AnyTool> = new Map(tools.map((tool): [string, AnyTool] => [tool.name, tool]));

/** Which calls of one answer run beside each other. */
export const parallel: Suite = {
  suite: "parallel",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly ParallelCase[]).map(({ id, input, expected, better }) => {
      const want = JSON.stringify(better ?? expected);
      const got = JSON.stringify(plan(input));
      return resultOf(id, got === want ? [] : [{ expected: want, got }]);
    });
  },
};

function plan({ cwd, calls }: ParallelCase["input"]): Kind[] {
  const place = (text: string): string => text.replaceAll("<cwd>", CWD);
  const placed = calls.map((call): ToolCall => ({ ...call, arguments: place(call.arguments ?? "") }));
  const segments = planSegments(placed, (name) => OURS.get(name) ?? STAND_INS.get(name), { cwd: place(cwd) });
  return segments.map((segment) => ({
    kind: segment.parallel ? "parallel" : "sequential",
    calls: segment.calls.map((index) => placed[index]?.id ?? ""),
  }));
}

function standIn(name: string, parallel: ToolParallel<unknown>): AnyTool {
  return {
    name,
    toolset: "stand-in",
    description: "",
    parameters: {},
    parse: (input) => input,
    effect: "safe",
    parallel,
    execute: async () => ({ content: "" }),
  };
}
