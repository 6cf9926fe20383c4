import { expect, it } from "vitest";
import { splitArgv } from "#src/hooks/split-argv";

it.each([
  ["~/h.sh", ["~/h.sh"]],
  ["python3 /x.py --level 2", ["python3", "/x.py", "--level", "2"]],
  [`run 'a b' "c \\"d\\"" e\\ f`, ["run", "a b", 'c "d"', "e f"]],
  [`echo '' ""`, ["echo", "", ""]],
  [`a"b"'c'd`, ["abcd"]],
  ["echo $HOME; rm *", ["echo", "$HOME;", "rm", "*"]],
  [`"keep \\n and \\$"`, ["keep \\n and \\$"]],
  ["   ", []],
])("splits %s as a shell reads words, and does nothing else with it", (line, words) => {
  expect(splitArgv(line)).toEqual(words);
});

it.each([`echo "open`, "echo 'open", "echo \\"])("refuses %s, which a shell would wait to go on", (line) => {
  expect(splitArgv(line)).toBeUndefined();
});
