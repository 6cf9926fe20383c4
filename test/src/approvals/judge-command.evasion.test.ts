import { expect, it } from "vitest";
import { judgeCommand } from "#src/approvals/judge-command";
import { toBase64, toHex, utf8 } from "#src/lib/encoding";

/** Commands in plain words; what is said of them must be said of every disguise. */
const COMMANDS: readonly (readonly [level: "never" | "asks", ...words: string[]])[] = [
  ["never", "rm", "-rf", "/"],
  ["never", "rm", "-r", "--force", "/etc"],
  ["never", "mkfs.ext4", "/dev/sda1"],
  ["never", "dd", "if=/dev/zero", "of=/dev/sda"],
  ["never", "shutdown", "now"],
  ["asks", "rm", "-rf", "src"],
  ["asks", "chmod", "-R", "777", "srv"],
  ["asks", "git", "push", "--force", "origin", "main"],
  ["asks", "psql", "-c", "DROP TABLE users"],
  ["asks", "kubectl", "delete", "namespace", "prod"],
  ["asks", "docker", "compose", "down"],
  ["asks", "systemctl", "stop", "nginx"],
];

/** One way to write a command so that it is not recognised. */
type Disguise = (words: readonly string[]) => string;

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const plain: Disguise = (words) => words.map((word) => (word.includes(" ") ? quoted(word) : word)).join(" ");
const inDoubleQuotes = (text: string): string => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`;
const mapWords =
  (change: (word: string) => string): Disguise =>
  (words) =>
    words.map(change).join(" ");
const behind =
  (prefix: string): Disguise =>
  (words) =>
    `${prefix} ${plain(words)}`;
const around =
  (before: string, after: string): Disguise =>
  (words) =>
    before + plain(words) + after;
const asText =
  (before: string, after = ""): Disguise =>
  (words) =>
    before + quoted(plain(words)) + after;
const hexOf = (text: string): string => toHex(utf8(text));
const escapedBytes = (text: string): string => hexOf(text).replaceAll(/../g, "\\x$&");

const DISGUISES: Readonly<Record<string, Disguise>> = {
  nothing: plain,
  "single quotes": mapWords(quoted),
  "double quotes": mapWords(inDoubleQuotes),
  "quotes inside of words": mapWords((word) =>
    word.includes(" ") ? quoted(word) : `${word.slice(0, 1)}''${word.slice(1)}`,
  ),
  "double quotes inside of words": mapWords((word) =>
    word.includes(" ") ? quoted(word) : `${word.slice(0, 1)}""${word.slice(1)}`,
  ),
  backslashes: mapWords((word) => (word.includes(" ") ? quoted(word) : word.replaceAll(/[a-z]/g, "\\$&"))),
  "ANSI-C bytes": mapWords((word) => `$'${escapedBytes(word)}'`),
  "ANSI-C octals": mapWords(
    (word) => `$'${Array.from(word, (char) => `\\${char.charCodeAt(0).toString(8)}`).join("")}'`,
  ),
  "empty parameters": mapWords((word) => (word.includes(" ") ? quoted(word) : `${word.slice(0, 1)}$@${word.slice(1)}`)),
  "continued lines": mapWords((word) =>
    word.includes(" ") ? quoted(word) : `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  ),
  "continued lines between words": (words) => plain(words).replaceAll(/ (?=[^']*$)/g, " \\\n "),
  "field separators": (words) => plain(words).replaceAll(/ (?![A-Zu])/g, "${IFS}"),
  braces: (words) => `{${words.map(quoted).join(",")}}`,
  "a variable for each word": (words) =>
    `${words.map((word, at) => `v${at}=${quoted(word)}`).join("; ")}; ${words.map((_, at) => `"$v${at}"`).join(" ")}`,
  "a variable for the program": (words) => `p=${quoted(words[0] ?? "")} && $p ${plain(words.slice(1))}`,
  "halves of the program": ([program = "", ...rest]) =>
    `a=${program.slice(0, 1)}; b=${program.slice(1)}; $a$b ${plain(rest)}`,
  "an array": (words) => `c=(${words.map(quoted).join(" ")}); "\${c[@]}"`,
  "positional parameters": (words) => `set -- ${words.map(quoted).join(" ")}; "$@"`,
  "a default": ([program = "", ...rest]) => `\${nothing:-${program}} ${plain(rest)}`,
  substring: ([program = "", ...rest]) => `x=zz${program}; \${x:2} ${plain(rest)}`,
  indirection: ([program = "", ...rest]) => `a=${program}; b=a; \${!b} ${plain(rest)}`,
  "substitution of the program": ([program = "", ...rest]) => `$(echo ${program}) ${plain(rest)}`,
  "backticks for the program": ([program = "", ...rest]) => `\`printf ${program}\` ${plain(rest)}`,
  "a folder": ([program = "", ...rest]) => `/usr/bin/${program} ${plain(rest)}`,
  "a pattern for the folder": ([program = "", ...rest]) => `/*/bin/${program} ${plain(rest)}`,
  "upper case": ([program = "", ...rest]) => `${program.toUpperCase()} ${plain(rest)}`,
  "a full-width program": ([program = "", ...rest]) =>
    `${Array.from(program, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join("")} ${plain(rest)}`,
  "zero-width spaces": ([program = "", ...rest]) => `${Array.from(program).join("\u200b")} ${plain(rest)}`,
  "a NUL": ([program = "", ...rest]) => `${program.slice(0, 1)}\0${program.slice(1)} ${plain(rest)}`,
  "no-break spaces": (words) => plain(words).replaceAll(/ (?![A-Zu])/g, "\u00a0"),
  colours: around("\u001b[31m", "\u001b[0m"),
  "a carriage return": around("", "\r"),

  "a list": around("cd src; ", "; ls"),
  and: around("true && ", ""),
  or: around("false || ", ""),
  "a pipe": around("yes | ", " | cat"),
  "the background": around("", " &"),
  "a new line": around("echo begin\n", "\necho end"),
  "a comment before": around("# tidy up\n", ""),
  "a subshell": around("( ", " )"),
  "a group": around("{ ", "; }"),
  "a negation": around("! ", ""),
  if: around("if true; then ", "; fi"),
  else: around("if false; then :; else ", "; fi"),
  for: around("for i in 1 2; do ", "; done"),
  while: around("while true; do ", "; done"),
  case: around("case x in *) ", ";; esac"),
  "a function": around("f() { ", "; }; f"),
  "a substitution": around('echo "done: $(', ')"'),
  backticks: around("echo `", "`"),
  "an assignment": around("x=$(", ")"),
  "process substitution": around("cat <(", ")"),
  "a here-document that expands": around("cat <<EOF\n$(", ")\nEOF"),
  "a default that runs": around("echo ${x:-$(", ")}"),
  arithmetic: around("echo $((1 + $(", ")))"),
  "redirections in front": around(">log 2>&1 ", ""),
  "assignments in front": around("A=1 B='2 3' ", ""),

  sudo: behind("sudo"),
  "sudo with options": behind("sudo -n -u root --"),
  doas: behind("doas"),
  env: behind("env A=1 -u B"),
  "env -S": asText("env -S "),
  nohup: behind("nohup"),
  timeout: behind("timeout -k 5 10m"),
  nice: behind("nice -n 19"),
  ionice: behind("ionice -c3"),
  setsid: behind("setsid"),
  stdbuf: behind("stdbuf -oL -e0"),
  time: behind("time -p"),
  command: behind("command"),
  exec: behind("exec"),
  xargs: around("echo | xargs ", ""),
  flock: behind("flock lock"),
  strace: behind("strace -f -o log"),
  npx: behind("npx --yes"),
  "many wrappers": behind("sudo -E env A=1 nohup nice -n 5 timeout 9 setsid"),

  "sh -c": asText("sh -c "),
  "bash -lc": asText("bash -lc "),
  "bash with options": asText("bash --norc -o pipefail -xc "),
  "a shell in a shell": (words) => `sh -c ${quoted(`bash -c ${quoted(plain(words))}`)}`,
  eval: asText("eval "),
  "eval of a variable": asText("c=", '; eval "$c"'),
  "sh of a variable": asText("c=", '; sh -c "$c"'),
  "su -c": asText("su -c "),
  ssh: asText("ssh host "),
  "docker exec": (words) => `docker exec -it -u root web ${plain(words)}`,
  "kubectl exec": (words) => `kubectl exec pod -c app -- sh -c ${quoted(plain(words))}`,
  trap: asText("trap ", " EXIT"),
  alias: asText("alias ls=", "; ls"),
  at: asText("echo ", " | at now"),
  crontab: (words) => `(crontab -l; echo ${quoted(`*/5 * * * * ${plain(words)}`)}) | crontab -`,
  watch: asText("watch -n 1 "),
  "find -exec": (words) => `find . -maxdepth 0 -exec ${plain(words)} \\;`,
  "git alias": (words) => `git -c alias.x=${quoted(`!${plain(words)}`)} x`,
  tmux: asText("tmux new-session -d "),
  parallel: asText("parallel ", " ::: 1"),

  "a pipe into a shell": asText("echo ", " | sh"),
  "printf into a shell": asText("printf %s ", " | sudo bash"),
  "bytes into a shell": (words) => `printf '${escapedBytes(plain(words))}' | sh`,
  "base64 into a shell": (words) => `echo ${toBase64(utf8(plain(words)))} | base64 -d | bash`,
  "base64 in a substitution": (words) => `eval "$(echo ${toBase64(utf8(plain(words)))} | base64 --decode)"`,
  "base64 twice": (words) => `echo ${toBase64(utf8(toBase64(utf8(plain(words)))))} | base64 -d | base64 -d | sh`,
  "hex into a shell": (words) => `echo ${hexOf(plain(words))} | xxd -r -p | sh`,
  "openssl into a shell": (words) => `echo ${toBase64(utf8(plain(words)))} | openssl base64 -d | sh`,
  "reversed into a shell": (words) => `echo ${quoted(Array.from(plain(words)).reverse().join(""))} | rev | sh`,
  "a here-document": around("bash <<'EOF'\n", "\nEOF"),
  "a here-string": asText("sh <<< "),
  "a script that is written first": asText("echo ", " > run.sh; bash run.sh"),
  "a program that is written first": around("cat > x <<'EOF'\n", "\nEOF\nchmod +x x && ./x"),
  "a file that is sourced": asText("printf %s ", " > x; . ./x"),
  "process substitution for a shell": (words) => `bash <(echo ${quoted(plain(words))})`,

  python: (words) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(plain(words))})`)}`,
  "python with a list": (words) =>
    `python3 -c ${quoted(`import subprocess; subprocess.run(${JSON.stringify(words)})`)}`,
  "python from a here-document": (words) =>
    `python3 - <<'EOF'\nimport os\nos.system(${JSON.stringify(plain(words))})\nEOF`,
  perl: (words) => `perl -e ${quoted(`system(${JSON.stringify(plain(words))})`)}`,
  ruby: (words) => `ruby -e ${quoted(`system ${JSON.stringify(plain(words))}`)}`,
  node: (words) => `node -e ${quoted(`require("child_process").execSync(${JSON.stringify(plain(words))})`)}`,
  php: (words) => `php -r ${quoted(`shell_exec(${JSON.stringify(plain(words))});`)}`,
  awk: (words) => `awk ${quoted(`BEGIN { system(${JSON.stringify(plain(words))}) }`)}`,
};

it.each(Object.entries(DISGUISES))("sees through %s", (_, disguise) => {
  const missed = COMMANDS.filter(([level, ...words]) => {
    const { hardline, dangerous } = judgeCommand(disguise(words));
    return level === "never" ? hardline === undefined : hardline === undefined && dangerous === undefined;
  });
  expect(missed.map(([, ...words]) => disguise(words))).toEqual([]);
});

it.each(Object.entries(DISGUISES))("finds nothing in a harmless command behind %s", (name, disguise) => {
  // what decodes or starts programs in a roundabout way is asked about, whatever it is
  if (ASKED_ANYWAY.has(name)) return;
  const { hardline, rules } = judgeCommand(disguise(["ls", "-la", "docs"]));
  expect({ hardline, rules }).toEqual({ hardline: undefined, rules: [] });
});

const ASKED_ANYWAY: ReadonlySet<string> = new Set([
  "bytes into a shell",
  "base64 into a shell",
  "base64 twice",
  "hex into a shell",
  "openssl into a shell",
  "reversed into a shell",
  "crontab",
  "a program that is written first",
  "python",
  "python with a list",
  "python from a here-document",
  "perl",
  "ruby",
  "node",
  "php",
]);
