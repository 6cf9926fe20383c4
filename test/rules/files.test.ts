import { expect, it } from "vitest";
import {
  findBadExportNames,
  findBadFileNames,
  findClasses,
  findLeftovers,
  findLongFiles,
  findSharedChats,
  findUntested,
} from "./find-rule-breaks.ts";
import { readSourceFiles } from "./source-files.ts";

/** Files over 400 lines, and why each is better whole. */
const LONG_FOR_A_REASON: Readonly<Record<string, string>> = {
  "test/workers/routes/api.test.ts": "a route after another, each with its refusals beside it",
  "test/workers/routes/openai.test.ts": "most of it is one table of what a request may get wrong",
};

/** Files, or the beginnings of their paths, that are tested under another name, and which. */
const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  // the shell and its files only mean something together, inside the object that keeps them
  "src/workspace/": "test/durable-objects/sandbox.test.ts",
  // a module that loads another one: tested by whoever uses that
  "src/late/": "test/durable-objects/sandbox.test.ts",
  // routes and objects that only mean something behind the doors
  "workers/gateway.ts": "test/workers/routes/webhooks.test.ts",
  // the way out of an isolate that is loaded with its module
  "durable-objects/hook-egress.ts": "test/durable-objects/hook-modules.test.ts",
  "src/platforms/registry.ts": "test/rules/registries.test.ts",
  "src/providers/registry.ts": "test/rules/registries.test.ts",
  "src/tools/registry.ts": "test/rules/registries.test.ts",
  "src/commands/registry.ts": "test/rules/registries.test.ts",
  "plugins/registry.ts": "test/durable-objects/hooks.test.ts",
};

// the paths are put together here so that this file does not contain what it looks for
const MACHINE_PATHS = ["work", "root", "tmp"].map((name) => new RegExp(`(?:^|["'\`\\s(=:])/${name}/[\\w.-]`));
const HOME_PATH = /(?:^|["'`\s(=:])\/(?:home|Users)\/[\w.-]+\//;
const FOREIGN_REGISTRY =
  /https?:\/\/[\w.-]*(?:registry|artifactory|nexus|jfrog|verdaccio|npm-proxy|pkg\.dev)[\w.-]*\//i;
const LATER = /\b(?:TODO|FIXME|XXX|HACK)\b/;

const everything = readSourceFiles();
const code = everything.filter(({ path }) => /\.(?:ts|mts|mjs|js)$/.test(path));
const house = code.filter(({ path }) => /^(?:src|durable-objects|workers|plugins)\//.test(path));
const paths = new Set(everything.map(({ path }) => path));

it("names files in kebab-case, after something", () => {
  expect(code.length).toBeGreaterThan(100);
  expect(findBadFileNames(code)).toEqual([]);
});

it("exports no name that says nothing", () => {
  expect(findBadExportNames(code)).toEqual([]);
});

it("keeps files under 400 lines, or says why not", () => {
  expect(findLongFiles(code, LONG_FOR_A_REASON)).toEqual([]);
  expect(Object.keys(LONG_FOR_A_REASON).filter((path) => !paths.has(path))).toEqual([]);
});

it("has no classes but Durable Objects and errors", () => {
  expect(findClasses(house)).toEqual([]);
});

it("has a test for every file, of its own or of the file it is a part of", () => {
  const elsewhere = Object.entries(TESTED_ELSEWHERE);
  expect(elsewhere.filter(([, test]) => !paths.has(test))).toEqual([]);
  expect(findUntested(house, paths).filter((path) => !elsewhere.some(([start]) => path.startsWith(start)))).toEqual([]);
});

it("holds nothing that is true on one machine only, and nothing that was left for later", () => {
  const outsideTests = everything.filter(({ path }) => !path.startsWith("test/"));
  expect(findLeftovers(outsideTests, [...MACHINE_PATHS, HOME_PATH])).toEqual([]);
  expect(findLeftovers(everything, [FOREIGN_REGISTRY])).toEqual([]);
  expect(
    findLeftovers(
      code.filter(({ path }) => path !== "test/rules/files.test.ts"),
      [LATER],
    ),
  ).toEqual([]);
});

it("talks in every chat from one file of tests alone", () => {
  const talking = code.filter(({ path }) => /^test\/(?:durable-objects|workers|examples)\//.test(path));
  expect(findSharedChats(talking)).toEqual([]);
});

it("sees a chat that two files talk in", () => {
  const text = "openSession(world, 71_001)";
  expect(findSharedChats([{ path: "a.test.ts", text }])).toEqual([]);
  expect(
    findSharedChats([
      { path: "a.test.ts", text },
      { path: "b.test.ts", text },
    ]),
  ).toEqual(["71_001: a.test.ts, b.test.ts"]);
});

it("sees a bad file name", () => {
  const names = [
    "src/tools/index.ts",
    "src/lib/fooBar.ts",
    "src/lib/string-utils.ts",
    "src/lib/handle-turn.ts",
    "src/lib/info.ts",
  ];
  expect(findBadFileNames(names.map((path) => ({ path, text: "" })))).toHaveLength(names.length);
  expect(findBadFileNames([{ path: "src/lib/base-files.ts", text: "" }])).toEqual([]);
});

it("sees a bad exported name", () => {
  const text =
    "export function handleUpdate() {}\nexport const turnInfo = 1;\nexport interface SessionManager {}\nexport const MODEL_DATA = 2;\n";
  expect(findBadExportNames([{ path: "a.ts", text }])).toHaveLength(4);
  expect(
    findBadExportNames([{ path: "a.ts", text: "export function readInformation() {}\nconst data = 1;\n" }]),
  ).toEqual([]);
});

it("sees a file that is too long, unless it has a reason", () => {
  const long = { path: "a.ts", text: "\n".repeat(401) };
  expect(findLongFiles([long], {})).toEqual(["a.ts has 401 lines"]);
  expect(findLongFiles([long, { path: "b.ts", text: "\n".repeat(400) }], { "a.ts": "one table" })).toEqual([]);
});

it("sees a class that is neither a Durable Object nor an error", () => {
  const text = "export class Cache {}\nclass Slow extends GatewayError {}\n";
  expect(findClasses([{ path: "src/lib/a.ts", text }])).toEqual(["src/lib/a.ts: class Cache"]);
  expect(findClasses([{ path: "durable-objects/room.ts", text }])).toEqual([]);
});

it("sees a file that no test is about, directly or as a part of another", () => {
  const files = [
    {
      path: "src/tools/whole.ts",
      text: 'import { part } from "./part";\nimport { far } from "#src/lib/far";\nexport function whole() {}',
    },
    { path: "src/tools/part.ts", text: "export function part() {}" },
    { path: "src/lib/far.ts", text: "export function far() {}" },
    { path: "src/domain/shape.ts", text: "export interface Shape {}" },
  ];
  expect(findUntested(files, new Set(["test/src/tools/whole.test.ts"]))).toEqual(["src/lib/far.ts"]);
});

it("sees a machine's path, a foreign registry and what was left for later", () => {
  const lines = [
    'read("/work/some/x")',
    "cd /root/.cache",
    "FILE=/tmp/x.json",
    "/home/ann/src",
    ["https:", "", "npm.registry.example", "x"].join("/"),
    "// TODO later",
  ];
  const text = lines.join("\n");
  expect(findLeftovers([{ path: "a", text }], [...MACHINE_PATHS, HOME_PATH, FOREIGN_REGISTRY, LATER])).toHaveLength(
    lines.length,
  );
  const fine = "https://example.com/work/x\n#src/workers\n/workspace/tmp/x";
  expect(findLeftovers([{ path: "a", text: fine }], [...MACHINE_PATHS, HOME_PATH, FOREIGN_REGISTRY, LATER])).toEqual(
    [],
  );
});
