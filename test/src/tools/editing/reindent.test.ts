import { expect, it } from "vitest";
import { reindent } from "#src/tools/editing/reindent";

it("leaves a text alone that lies as deep as the file", () => {
  expect(reindent("  a\n    b", "  a\n  x", "  a\n  x")).toBe("  a\n    b");
});

it("moves new lines as much deeper as the lines around them", () => {
  expect(reindent("a\nb\n  c", "a", "    a")).toBe("    a\n    b\n      c");
});

it("moves lines up where the file is less deep", () => {
  expect(reindent("    a\n  b", "    a", "  a")).toBe("  a\nb");
});

it("turns blanks into the file's tabs", () => {
  expect(reindent("if\n    a\n    b", "if\n    a", "if\n\ta")).toBe("if\n\ta\n\tb");
});

it("keeps the depth of each line when the wanted text had lost it", () => {
  expect(reindent("if x:\nreturn 2", "if x:\nreturn 1", "if x:\n    return 1")).toBe("if x:\n    return 2");
});
