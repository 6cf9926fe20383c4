import { expect, it } from "vitest";
import { subcommands } from "#src/lib/shell/subcommands";

it.each([
  ["git push", ["git push"]],
  ["", []],
  ["# nothing", []],
  ["a && b || c; d & e", ["a", "b", "c", "d", "e"]],
  ["a | b |& c", ["a", "b", "c"]],
  ["A=1 B='x y' git push --force", ["git push --force"]],
  ["X=1", []],
  ["X=$(git push) Y=`ls`", ["git push", "ls"]],
  ["arr=(1 $(two) 'x')", ["two"]],
  ["echo \"a $(b 'c') d\" `e`", ["echo \"a $(b 'c') d\" `e`", "b 'c'", "e"]],
  ["echo '$(not run)' \\$(x\\)", undefined],
  ["echo '$(not run)' \"\\$(nor this)\"", ["echo '$(not run)' \"\\$(nor this)\""]],
  ["diff <(a) >(b)", ["diff <(a) >(b)", "a", "b"]],
  ["echo ${x:-$(y)} $((1 + $(z))) ${#w}", ["echo ${x:-$(y)} $((1 + $(z))) ${#w}", "y", "z"]],
  ["(a; b) > log", ["a", "b"]],
  ["{ a; b; } 2>&1", ["a", "b"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done < <(c)", ["a", "b", "c"]],
  ["for x in 1 $(two); do echo $x; done", ["echo $x", "two"]],
  ["for ((i = 0; i < 3; i++)); do a; done", ["a"]],
  ["case $x in a|b) one;; (c) two ;; *) three; esac", ["one", "two", "three"]],
  ["f() { a; }; function g { b; }; f", ["a", "b", "f"]],
  ["[[ a < b && $(c) == d ]] && e", ["c", "e"]],
  ["((x > 1)) && a", ["a"]],
  ["! a; time -p b; coproc c", ["a", "b", "c"]],
  ["cat <<EOF | b\n$(c) 'x\nEOF\nd", ["cat <<EOF", "c", "b", "d"]],
  ["cat <<'EOF'\n$(c)\nEOF", ["cat <<'EOF'"]],
  ["cat <<-E\n\tx\n\tE\na", ["cat <<-E", "a"]],
  ["cat <<A <<B\n$(a)\nA\n$(b)\nB\nc", ["cat <<A <<B", "a", "b", "c"]],
  ["a # b; c\nd", ["a", "d"]],
  ["echo a#b $# ${#}", ["echo a#b $# ${#}"]],
  ["ls \\\n  -la", ["ls \\\n  -la"]],
  ["echo `a \\`b\\``", ["echo `a \\`b\\``", "a `b`", "b"]],
  ["shopt -s extglob; rm !(a|b)", ["shopt -s extglob", "rm !(a|b)"]],
  ["echo $'it\\'s' $\"x\"", ["echo $'it\\'s' $\"x\""]],
  ["a >x 2>>y <z &>w", ["a >x 2>>y <z &>w"]],
])("finds the commands of %j", (command, expected) => {
  expect(subcommands(command)).toEqual(expected);
});

it.each([
  "echo 'abc",
  'echo "abc',
  "echo $(a",
  "echo `a",
  "(a",
  "a)",
  "if a; then b",
  "{ a;",
  "a <",
  "${x",
  "iex (irm x)",
  "f()",
])("finds none in %j, which no shell reads", (command) => {
  expect(subcommands(command)).toBeUndefined();
});

it("does not follow a nesting without end", () => {
  expect(subcommands("$(".repeat(5000))).toBeUndefined();
  expect(subcommands(`${"$(".repeat(40)}a${")".repeat(40)}`)).toContain("a");
});
