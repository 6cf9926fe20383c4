import { expect, it } from "vitest";
import { type Floor, findForbiddenImports, findHiddenStaircases } from "./find-forbidden-imports.ts";
import { readSourceFiles } from "./source-files.ts";

const GROUND = ["src/domain", "src/lib", "src/late"];

/** A room of floor 1: the ground floor, itself, and the packages that its work is about. */
function room(...packages: readonly string[]): Floor {
  return { folders: GROUND, packages };
}

/** The house. A new package, or a way from one room into another, is a line here and so a decision. */
const FLOORS: Readonly<Record<string, Floor>> = {
  "src/domain": { folders: [], packages: [] },
  "src/lib": { folders: [], packages: [] },
  // what is built apart and loaded when it is first needed
  "src/late": { folders: [], packages: ["just-bash", "openai", "@anthropic-ai/sdk"] },
  "src/agent": room(),
  "src/hooks": room("zod", "re2js"),
  "src/tools": room("zod"),
  "src/platforms": room(),
  "src/providers": room("openai", "@anthropic-ai/sdk"),
  "src/commands": room(),
  "src/memory": room(),
  "src/approvals": room(),
  "src/safety": room(),
  "src/skills": room("yaml"),
  "src/cron": room("croner"),
  "src/config": room("yaml", "zod"),
  "src/workspace": room("just-bash"),
  "src/delivery": room(),
  "durable-objects": {
    folders: ["src", "plugins"],
    packages: ["cloudflare:", "itty-durable"],
    files: ["config.yaml", "package.json"],
  },
  workers: { folders: ["src", "durable-objects"], packages: ["cloudflare:", "hono"] },
  plugins: room("zod"),
  // what may be copied there
  "examples/hooks/plugins": room("zod"),
  // what browsers run: of the house it knows the types of what comes over the wire
  "web/shared": { folders: [], packages: [] },
  "web/chat": { folders: ["web/shared", "src/domain"], packages: [] },
  "web/hooks": { folders: ["web/shared", "src/domain"], packages: [] },
};

const CODE_FOLDERS = ["src", "durable-objects", "workers", "plugins", "examples/hooks/plugins", "web"];

const house = readSourceFiles(...CODE_FOLDERS).filter(({ path }) => path.endsWith(".ts"));

it("lets every folder import only what its floor allows", () => {
  expect(house.length).toBeGreaterThan(50);
  expect(findForbiddenImports(house, FLOORS)).toEqual([]);
});

it("writes ./ inside a room and #src/ across rooms", () => {
  expect(findHiddenStaircases(house)).toEqual([]);
});

it.each([
  ["a room's neighbour", "src/tools/a.ts", 'import type { Session } from "#src/agent/session";'],
  ["a neighbour by a path", "src/tools/a.ts", 'export { run } from "../agent/run";'],
  ["the domain from lib", "src/lib/a.ts", 'import { x } from "#src/domain/x";'],
  ["a package that has no line", "src/agent/a.ts", 'import * as z from "zod";'],
  ["a package whose name only begins alike", "src/tools/a.ts", 'import x from "zod-extra";'],
  ["a door from a Durable Object", "durable-objects/a.ts", 'import { auth } from "../workers/auth";'],
  ["the runtime from a room", "src/platforms/a.ts", "import {\n  env,\n} from 'cloudflare:workers';"],
  ["something lazily", "src/domain/a.ts", 'const late = await import("openai");'],
])("sees an import of %s", (_what, path, text) => {
  expect(findForbiddenImports([{ path, text }], FLOORS)).toHaveLength(1);
});

it("sees a folder that nobody gave a floor", () => {
  expect(findForbiddenImports([{ path: "src/misc/a.ts", text: "" }], FLOORS)).toEqual([
    "src/misc/a.ts is in a folder that has no floor",
  ]);
});

it("lets a room import the ground floor, itself and its packages", () => {
  const text =
    'import { a } from "#src/domain/a";\nimport { b } from "./b";\nimport * as z from "zod";\nimport "zod/mini";';
  expect(findForbiddenImports([{ path: "src/tools/deep/a.ts", text }], FLOORS)).toEqual([]);
});

it("sees a staircase inside a room and a path across rooms", () => {
  const text =
    'import { a } from "#src/tools/a";\nimport { b } from "../domain/b";\nimport { c } from "./c";\nimport { d } from "#src/lib/d";';
  expect(findHiddenStaircases([{ path: "src/tools/x.ts", text }])).toHaveLength(2);
});
