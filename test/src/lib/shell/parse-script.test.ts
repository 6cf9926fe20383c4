import { expect, it } from "vitest";
import { parseScript, visitPipelines } from "#src/lib/shell/parse-script";

/** The only command of a text, which must be a simple one. */
function simple(text: string) {
  const command = parseScript(text).script.pipelines[0]?.commands[0];
  if (command?.type !== "simple") throw new Error(`${text} is no simple command`);
  return command;
}

const textOf = (text: string): readonly (string | undefined)[] =>
  simple(text).words.map(({ parts }) =>
    parts.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join(""),
  );

it("takes quotes and escapes off, and keeps what was written", () => {
  expect(textOf(`a'b c'"d \\" \\x"\\e$'\\x66\\101' ""`)).toEqual(['ab cd " \\xefA', ""]);
  expect(simple("a 'b'").words[1]?.source).toBe("'b'");
});

it("tells quoted parts from others", () => {
  const parts = simple(`x"$y"$z'*'*`).words[0]?.parts;
  expect(parts?.map((part) => ("isQuoted" in part ? part.isQuoted : undefined))).toEqual([
    false,
    true,
    false,
    true,
    false,
  ]);
});

it("reads assignments, also of arrays, and what is appended", () => {
  const { assignments, words } = simple("A=1 B+=x C=(1 '2 3') declare -r D=4");
  expect(assignments.map(({ name, isAppended, elements }) => [name, isAppended, elements?.length])).toEqual([
    ["A", false, undefined],
    ["B", true, undefined],
    ["C", false, 2],
    ["D", false, undefined],
  ]);
  expect(words.map(({ source }) => source)).toEqual(["declare", "-r", "D=4"]);
});

it("sets no variable by the argument of a program that declares none", () => {
  expect(simple("A=1 cmd D=4").assignments.map(({ name }) => name)).toEqual(["A"]);
  expect(simple("time A=1 cmd D=4").assignments.map(({ name }) => name)).toEqual(["A"]);
});

it("reads parameters with their operators", () => {
  const [part] = simple("${!a[@]:-b}").words[0]?.parts ?? [];
  expect(part).toMatchObject({ type: "parameter", name: "a", index: "@", prefix: "!", operator: ":-" });
});

it("reads redirections, and the bodies of here-documents", () => {
  const { redirects } = simple("a 2>>log <<E <<<w {fd}>x\nbody $y\nE");
  expect(redirects.map(({ operator }) => operator)).toEqual([">>", "<<", "<<<", ">"]);
  expect(redirects[1]?.target.parts.map((part) => (part.type === "text" ? part.text : part.type))).toEqual([
    "body ",
    "parameter",
    "\n",
  ]);
});

it("knows what runs in the background", () => {
  expect(parseScript("a & b && c").script.pipelines.map(({ isBackground }) => isBackground)).toEqual([
    true,
    false,
    false,
  ]);
});

it("takes what no shell reads as far as it can, and says what is wrong", () => {
  const { script, problem } = parseScript("a; b) c 'd");
  expect(script.pipelines).toHaveLength(3);
  expect(problem).toBe("an unexpected )");
});

it("hands over pipelines until it is told to stop, each with its here-documents", () => {
  const seen: (string | undefined)[] = [];
  visitPipelines("a <<E; b\nx\nE\nc; d", ({ commands: [command] }) => {
    seen.push(
      command?.type === "simple" ? `${command.source}:${command.redirects[0]?.target.parts.length ?? 0}` : undefined,
    );
    return seen.length < 3;
  });
  expect(seen).toEqual(["a <<E:1", "b:0", "c:0"]);
});
