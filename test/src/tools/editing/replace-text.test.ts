import { expect, it } from "vitest";
import { replaceText } from "#src/tools/editing/replace-text";

const replace = (text: string, oldText: string, newText: string, replaceAll = false): unknown =>
  replaceText(text, { oldText, newText, replaceAll });

it("replaces the one exact place", () => {
  expect(replace("a b c", "b", "x")).toEqual({ text: "a x c", count: 1, strategy: "exact" });
});

it("takes replacement patterns as plain text", () => {
  expect(replace("a b", "b", "$& $1 $$")).toMatchObject({ text: "a $& $1 $$" });
});

it("refuses several places and says where they are", () => {
  expect(replace("a\nb\na\n", "a", "x")).toEqual({
    problem: "old_string matches 2 places, at lines 1, 3. Give more lines around it, or set replace_all.",
  });
});

it("replaces all places when asked", () => {
  expect(replace("a\nb\na\n", "a", "aa", true)).toEqual({ text: "aa\nb\naa\n", count: 2, strategy: "exact" });
});

it.each([
  ["line ends", "if x:  \n  y\t\nz", "if x:\n  y\n", "if x:\n  n\n", "if x:\n  n\nz"],
  [
    "indentation",
    "class A:\n    def f():\n        return 1\n",
    "def f():\n    return 1\n",
    "def f():\n    a()\n    return 2\n",
    "class A:\n    def f():\n        a()\n        return 2\n",
  ],
  ["blanks", "let  a =\t1; b", "let a = 1;", "let a = 2;", "let a = 2; b"],
  ["typography", "say “hi” – now…\n", 'say "hi" - now...', "done", "done\n"],
  ["escapes", 'a = "x"\nb\n', 'a = \\"x\\"\\nb', 'a = \\"y\\"\\nb', 'a = "y"\nb\n'],
  [
    "trimmed lines",
    "if (a) {\n\tb();\n      c();\n}\n",
    "  if (a) {\n    b();\n    c();\n  }",
    "  if (a) {\n    b();\n    d();\n  }",
    "if (a) {\n\tb();\n      d();\n}\n",
  ],
  ["outer blank lines", "a\nb  \nc\n", "\n\n b\nc\n\n", "\n\n b\nd\n\n", "a\nb\nd\n"],
  [
    "first and last line",
    "begin\n  one thing here\nend\n",
    "begin\n  one thing there\nend",
    "begin\nend",
    "begin\nend\n",
  ],
  ["most lines", "a1\nb2\nc3\nd4 with words\ne5\n", "a1\nb2\nc3\nd4 with wordy", "a1\n", "a1\n\ne5\n"],
])("finds the text although it differs in: %s", (strategy, text, oldText, newText, expected) => {
  expect(replace(text, oldText, newText)).toEqual({ text: expected, count: 1, strategy });
});

it("never changes text in several places that is only like the wanted one", () => {
  const block = (word: string): string => `begin\n  one ${word} thing here\nend\n`;
  expect(replace(block("big") + block("bad"), "begin\n  one bog thing here\nend", "x", true)).toEqual({
    problem: "old_string is not there, and what is like it matches 2 places, at lines 1, 4. Quote the file exactly.",
  });
});

it("keeps CR LF at the ends of lines, whatever the model wrote", () => {
  expect(replace("a\r\nb\r\nc\r\n", "a\nb", "a\nx\ny")).toMatchObject({ text: "a\r\nx\r\ny\r\nc\r\n" });
});

it("shows the nearest line when nothing matches", () => {
  const problem = 'old_string was not found. The nearest is at line 2:\nconst limit = readLimit("a");';
  expect(replace('x\nconst limit = readLimit("a");\ny', "const limits = readAll(1, 2);", "z")).toEqual({ problem });
});

it("finds nothing when nothing is near", () => {
  expect(replace("abc", "something else", "z")).toEqual({
    problem: "old_string was not found. Read the file again and quote it exactly.",
  });
});

it("knows an edit that was made already", () => {
  expect(replace("const total = 2;\n", "const sum = 1;", "const total = 2;")).toEqual({ isDone: true });
});

it("does not take a short word elsewhere for an edit that was made", () => {
  expect(replace("a word or two\n", "missing_name", "or")).toHaveProperty("problem");
});

it("searches a large file for a long text in moderate time", () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${i} of many`).join("\n");
  const wanted = Array.from({ length: 200 }, (_, i) => `line ${i + 100} of none`).join("\n");
  expect(replace(text, wanted, "x")).toHaveProperty("problem");
});
