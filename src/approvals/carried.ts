import { decodeAnsiC } from "#src/lib/shell/ansi-c-quoting";
import { fromBase64 } from "#src/lib/encoding";
import { type Call, hasFlag, optionsOf, valuesOf } from "./call";
import { PRODUCED, UNKNOWN } from "./markers";

/** Something that a call runs although it is only an argument, or input, of it. */
export type Carried =
  /** A command line. `positional` is what `$0`, `$1` and so on stand for in it. */
  | { readonly type: "script"; readonly text: string; readonly positional?: readonly string[] }
  /** Fields of one command. */
  | { readonly type: "call"; readonly fields: readonly string[] }
  /** Source text of a programming language. */
  | { readonly type: "code"; readonly language: Language; readonly text: string };

export type Language = "python" | "perl" | "ruby" | "node" | "php" | "lua" | "awk" | "sed" | "applescript" | "other";

type Reader = (call: Call) => readonly Carried[];

/** Everything that a call carries. */
export function carriedBy(call: Call): readonly Carried[] {
  const reader = Object.hasOwn(CARRIERS, call.program) ? CARRIERS[call.program] : languageReader(call.program);
  return reader?.(call) ?? [];
}

const SHELLS = "sh bash zsh dash ksh mksh ash fish csh tcsh rbash yash";
/** Whether a program is a shell. */
export function isShell(program: string): boolean {
  return SHELL_NAMES.has(program);
}
const SHELL_NAMES: ReadonlySet<string> = new Set(SHELLS.split(" "));

const CARRIERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(SHELLS.split(" ").map((name) => [name, readShell])),
  su: readCommandOption,
  runuser: readCommandOption,
  script: readCommandOption,
  flock: readCommandOption,
  sg: readCommandOption,
  npx: (call) => scripts(valuesOf(call, "-c", "--call")),
  npm: (call) => scripts(valuesOf(call, "-c", "--call")),
  yarn: readNodeTool,
  pnpm: readNodeTool,
  env: (call) => scripts(valuesOf(call, "-S", "--split-string")),
  eval: ({ args }) => scripts([args.join(" ")]),
  alias: ({ args }) => scripts(args.map((arg) => arg.slice(arg.indexOf("=") + 1))),
  trap: (call) => scripts(optionsOf(call).operands.slice(0, 1)),
  ssh: readSsh,
  at: ({ stdin }) => scripts([stdin]),
  batch: ({ stdin }) => scripts([stdin]),
  crontab: ({ stdin }) => scripts(stdin.split(LINE_END).map(cronCommand)),
  find: readFind,
  fd: readFd,
  fdfind: readFd,
  hyperfine: (call) =>
    scripts([...optionsOf(call).operands, ...valuesOf(call, "--prepare", "--setup", "--cleanup", "-p", "-s", "-c")]),
  concurrently: (call) => scripts(optionsOf(call).operands),
  parallel: ({ args }) =>
    scripts(args.includes(":::") ? args.slice(args.indexOf(":::") + 1).filter((arg) => arg.includes(" ")) : []),
  entr: (call) => (hasFlag(call, "-s") ? scripts(optionsOf(call).operands) : []),
  tmux: readTmux,
  screen: readScreen,
  make: ({ stdin }) => scripts(stdin.split("\n").map(makeRecipe)),
  git: readGit,
  tar: (call) =>
    scripts([...valuesOf(call, "--to-command", "-I", "--use-compress-program"), ...checkpointActions(call)]),
  rsync: (call) => scripts(valuesOf(call, "-e", "--rsh", "--rsync-path")),
  zip: (call) => scripts(valuesOf(call, "-TT", "--unzip-command")),
  man: (call) => scripts(valuesOf(call, "-P", "--pager", "-H")),
  vim: readEditor,
  vi: readEditor,
  nvim: readEditor,
  view: readEditor,
  ex: readEditor,
  emacs: (call) => [{ type: "code", language: "other", text: valuesOf(call, "--eval", "-eval").join("\n") }],
  ed: ({ stdin }) => scripts(stdin.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))),
  expect: (call) =>
    scripts(
      valuesOf(call, "-c")
        .flatMap((code) => code.split(/[;\n]/))
        .map((line) => line.replace(/^\s*spawn\s+/, "")),
    ),
  nc: readNetcat,
  ncat: readNetcat,
  netcat: readNetcat,
  gdb: readDebugger,
  psql: (call) => scripts([...valuesOf(call, "-c", "--command"), call.stdin].flatMap(afterShellWord)),
  sqlite3: (call) => scripts([...optionsOf(call).operands.slice(1), call.stdin].flatMap(afterShellWord)),
  mysql: (call) => scripts([...valuesOf(call, "-e", "--execute"), call.stdin].flatMap(afterShellWord)),
  ansible: (call) => scripts(valuesOf(call, "-a", "--args")),
  gcloud: (call) => scripts(valuesOf(call, "--command")),
  fly: (call) => scripts(valuesOf(call, "-C", "--command")),
  flyctl: (call) => scripts(valuesOf(call, "-C", "--command")),
  vagrant: (call) => scripts(valuesOf(call, "-c", "--command")),
  "nix-shell": (call) => scripts(valuesOf(call, "--run", "--command")),
  nix: (call) => [{ type: "call", fields: afterFlag(call, "-c", "--command") }],
  cmd: ({ sources }) => windowsCommand(sources),
  powershell: readPowerShell,
  pwsh: readPowerShell,
  "start-process": ({ args }) => [{ type: "call", fields: args.filter((arg) => !arg.startsWith("-")) }],
  "invoke-expression": ({ args }) => scripts([args.join(" ")]),
  iex: ({ args, stdin }) => scripts([args.join(" "), stdin]),
  awk: readAwk,
  gawk: readAwk,
  mawk: readAwk,
  nawk: readAwk,
  sed: (call) => [
    {
      type: "code",
      language: "sed",
      text: [...valuesOf(call, "-e", "--expression"), optionsOf(call).operands[0] ?? ""].join("\n"),
    },
  ],
  osascript: (call) => [
    { type: "code", language: "applescript", text: [...valuesOf(call, "-e"), call.stdin].join("\n") },
  ],
};

function scripts(texts: readonly string[]): readonly Carried[] {
  return texts.filter((text) => text.trim() !== "").map((text) => ({ type: "script", text }));
}

/** `-c text`, also behind other letters as in `-qc`. */
function readCommandOption(call: Call): readonly Carried[] {
  const { args } = call;
  const clustered = args.flatMap((arg, at) => (/^-[a-z]+c$/.test(arg) ? [args[at + 1] ?? ""] : []));
  return scripts([...valuesOf(call, "-c", "--command"), ...clustered]);
}

/** Tools that destroy what is elsewhere; `yarn` and `pnpm` run them without a word before, as they run scripts. */
const NODE_TOOLS =
  /^(?:wrangler|prisma|sequelize(?:-cli)?|knex|typeorm|drizzle-kit|rimraf|del-cli|vercel|netlify|firebase|supabase)$/;

function readNodeTool({ args }: Call): readonly Carried[] {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  return NODE_TOOLS.test(args[at] ?? "") ? [{ type: "call", fields: args.slice(at) }] : [];
}

/** `sh -c text name args`, or the script that it reads. Options in one word may contain `c` too. */
function readShell(call: Call): readonly Carried[] {
  const { args, stdin } = call;
  let isText = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(arg) || arg === "--command") isText = true;
    if (/^[-+][A-Za-z]*[oO]$/.test(arg) || arg === "--rcfile" || arg === "--init-file") at += 1;
  }
  const rest = args.slice(at);
  if (isText) return readText(rest);
  const readsInput =
    rest.length === 0 || /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(rest[0] ?? "") || hasFlag(call, "-s");
  return readsInput ? scripts([stdin]) : [];
}

/** A single word with arguments was most often meant to be run with them, and is where a shell reads it twice. */
function readText([text = "", ...positional]: readonly string[]): readonly Carried[] {
  const whole = /^[\w./-]+$/.test(text) && positional.length > 0 ? scripts([[text, ...positional].join(" ")]) : [];
  return [{ type: "script", text, positional }, ...whole];
}

/** Without a command, what is piped in is run by the shell over there. */
function readSsh(call: Call): readonly Carried[] {
  const proxies = valuesOf(call, "-o").flatMap(
    (value) => /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[ =](.*)$/i.exec(value)?.[1] ?? [],
  );
  return scripts([...proxies, optionsOf(call).operands.length < 2 ? call.stdin : ""]);
}

/** Lines, also behind what a program put out and nobody knows: it ends with one. */
const LINE_END = new RegExp(`\n|${UNKNOWN}${PRODUCED}`, "u");

/** A line of a crontab without its five times or its `@daily`. */
function cronCommand(line: string): string {
  return line.startsWith("#") ? "" : line.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, "");
}

/** A line of a makefile that is run: behind a tab, or behind a target and a semicolon. */
function makeRecipe(line: string): string {
  return /^(?:\t|[^\s#:=]+\s*::?(?!=)[^;#]*;)\s*[@+-]*(.*)$/.exec(line)?.[1] ?? "";
}

const SELECTS =
  /^-(?:i?name|i?path|i?wholename|i?regex|[acm](?:time|min)|size|user|group|uid|gid|empty|newer\w*|perm|links|inum|nouser|nogroup|lname|samefile|xtype)$/;

/** What `find` finds: everything below its starting points, or some of it when there are tests. */
export function foundBy({ args }: Call): readonly string[] {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPDO]/.test(arg));
  const starts = args.slice(0, first === -1 ? undefined : first).filter((arg) => !arg.startsWith("-"));
  const isSelective = args.some(
    (arg, at) => SELECTS.test(arg) && !/^\*+$/.test(args[at + 1] ?? "") && !/^(?:!|-not)$/.test(args[at - 1] ?? ""),
  );
  const below = (start: string): string => (isSelective ? `${start}/${UNKNOWN}` : start);
  return starts.length === 0 ? [below(".")] : starts.map(below);
}

function readFind(call: Call): readonly Carried[] {
  const { args } = call;
  const found = foundBy(call);
  const carried: Carried[] = [];
  args.forEach((arg, at) => {
    if (arg === "-delete") carried.push({ type: "call", fields: ["find-delete", ...found] });
    if (!/^-(?:exec|ok)(?:dir)?$/.test(arg)) return;
    const fields: string[] = [];
    for (
      let next = at + 1;
      next < args.length && args[next] !== ";" && !(args[next] === "+" && args[next - 1] === "{}");
      next += 1
    )
      fields.push(args[next] ?? "");
    carried.push({ type: "call", fields: fields.flatMap((field) => replaceFound(field, "{}", found)) });
  });
  return carried;
}

function replaceFound(field: string, placeholder: string, found: readonly string[]): readonly string[] {
  if (field === placeholder) return found;
  return [field.includes(placeholder) ? field.replaceAll(placeholder, () => found[0] ?? "") : field];
}

function readFd({ args }: Call): readonly Carried[] {
  const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg));
  return at === -1 ? [] : [{ type: "call", fields: [...args.slice(at + 1), UNKNOWN] }];
}

/** What is typed into a terminal; what is started in one is wrapped. */
function readTmux({ args }: Call): readonly Carried[] {
  const verb = args.findIndex((arg) => /^(?:send-keys|send|if-shell)$/.test(arg));
  return verb === -1 ? [] : scripts(args.slice(verb + 1).filter((arg) => arg.includes(" ")));
}

/** `screen -dmS name command`. */
function readScreen({ args }: Call): readonly Carried[] {
  const at = args.findIndex((arg) => /^-\w*m|^-X$/.test(arg));
  if (at === -1) return [];
  const hasName = args[at]?.endsWith("S") === true || args[at + 1] === "-S";
  const start = at + 1 + (args[at + 1] === "-S" ? 1 : 0) + (hasName ? 1 : 0);
  const fields = args.slice(start).filter((arg, index) => index > 0 || !arg.startsWith("-"));
  // what is typed into it ends with `\n` or `^M`
  if (fields[0] === "stuff") return scripts([(fields[1] ?? "").replace(/(?:\\[nr]|\^M)$/, "")]);
  return [{ type: "call", fields }];
}

/** Commands that git runs: aliases, hooks of a call, editors, and what it runs for each commit or module. */
function readGit(call: Call): readonly Carried[] {
  const aliases = valuesOf(call, "-c").flatMap((value) => /^alias\.[^=]+=!(.*)$/s.exec(value)?.[1] ?? []);
  const { operands } = optionsOf(call);
  const [verb, next] = operands;
  const filters = call.args.flatMap((arg, at) =>
    /^--(?:\w+-filter|exec)$/.test(arg) || (verb === "rebase" && arg === "-x") ? [call.args[at + 1] ?? ""] : [],
  );
  const runsRest = (verb === "bisect" && next === "run") || (verb === "submodule" && next === "foreach");
  const rest = runsRest ? afterFlag(call, next ?? "").filter((arg, at) => at > 0 || arg !== "--recursive") : [];
  return [
    ...scripts([...aliases, ...filters]),
    ...scripts([rest.length === 1 ? (rest[0] ?? "") : ""]),
    ...(rest.length > 1 ? [{ type: "call", fields: rest } as const] : []),
  ];
}

function checkpointActions(call: Call): readonly string[] {
  return valuesOf(call, "--checkpoint-action").flatMap((value) => /^exec=(.*)$/s.exec(value)?.[1] ?? []);
}

/** `:!command`, also as `+!command`. */
function readEditor({ args, stdin }: Call): readonly Carried[] {
  const commands = args.flatMap((arg, at) =>
    /^(?:-c|--cmd|-cmd)$/.test(arg) ? [args[at + 1] ?? ""] : arg.startsWith("+") ? [arg.slice(1)] : [],
  );
  return scripts(
    [...commands, ...stdin.split("\n")].flatMap((line) => /^:?(?:silent\s+)?%?!(.*)$/s.exec(line.trim())?.[1] ?? []),
  );
}

function readNetcat(call: Call): readonly Carried[] {
  return scripts(valuesOf(call, "-c", "--sh-exec"));
}

/** What stands behind `shell`, `!`, `\!`, `system` or `.shell` in another program's own language. */
function afterShellWord(text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => /^\s*(?:shell\s|\.shell\s|\.system\s|system\s|\\?!)(.*)$/.exec(line)?.[1] ?? []);
}

/** `shell command`, and what the program that is looked into is made to call. */
function readDebugger(call: Call): readonly Carried[] {
  const commands = valuesOf(call, "-ex", "--ex", "-iex", "--eval-command");
  return [...scripts(commands.flatMap(afterShellWord)), { type: "code", language: "other", text: commands.join("\n") }];
}

function afterFlag({ args }: Call, ...flags: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => flags.includes(arg));
  return at === -1 ? [] : args.slice(at + 1);
}

/** `cmd /c ...`: everything behind the switch, as it is written. */
function windowsCommand(sources: readonly string[]): readonly Carried[] {
  const at = sources.findIndex((source) => /^["']?\/[ckr]/i.test(source));
  if (at === -1) return [];
  const text = sources.slice(at + 1).join(" ");
  // a shell takes one pair of quotes off
  return scripts([/^"[^"]*"$|^'[^']*'$/.test(text) ? text.slice(1, -1) : text]);
}

function readPowerShell(call: Call): readonly Carried[] {
  const { args } = call;
  const at = args.findIndex((arg) => /^[-/]c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?$/i.test(arg));
  const encoded = args.findIndex((arg) => /^[-/]e(?:c|n(?:c(?:o(?:d(?:e(?:d(?:c\w*)?)?)?)?)?)?)?$/i.test(arg));
  if (encoded !== -1) return scripts([decodeUtf16(args[encoded + 1] ?? "")]);
  if (at !== -1) return scripts([asPosix(args.slice(at + 1).join(" "))]);
  const first = args.findIndex((arg) => !arg.startsWith("-"));
  return scripts([asPosix(first === -1 ? call.stdin : args.slice(first).join(" "))]);
}

/**
 * PowerShell as a POSIX shell reads it: script blocks and the call operator mean nothing to one, so what is in them
 * becomes a list; and a backslash is a backslash.
 */
function asPosix(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll(/(^|[;{|(])\s*&\s*(?=[\w"'{.])/g, "$1 ")
    .replaceAll(/(?<!\$)[{}]/g, " ; ");
}

function decodeUtf16(base64: string): string {
  const bytes = fromBase64(base64);
  return bytes === undefined ? "" : new TextDecoder("utf-16le").decode(bytes);
}

function readAwk(call: Call): readonly Carried[] {
  const isPiped = valuesOf(call, "-f", "--file").some((path) => /^(?:-|\/dev\/stdin)$/.test(path));
  const text = isPiped
    ? call.stdin
    : [...valuesOf(call, "-e", "--source"), optionsOf(call).operands[0] ?? ""].join("\n");
  return [
    { type: "code", language: "awk", text: decodeAnsiC(text.replaceAll('\\"', "\u0001")).replaceAll("\u0001", '\\"') },
  ];
}

const LANGUAGES: readonly { readonly name: RegExp; readonly language: Language; readonly flag: RegExp }[] = [
  { name: /^(?:python|pypy|ipython)[\d.]*$|^py$/, language: "python", flag: /^-[a-zA-Z]*c$/ },
  { name: /^perl[\d.]*$/, language: "perl", flag: /^-[a-zA-Z0]*[eE]$/ },
  { name: /^j?ruby[\d.]*$/, language: "ruby", flag: /^-[a-z]*e$/ },
  { name: /^(?:node|nodejs|bun|deno|tsx|ts-node)$/, language: "node", flag: /^(?:-[a-z]*[ep]|--eval|--print|eval)$/ },
  { name: /^php[\d.]*$/, language: "php", flag: /^-r$/ },
  { name: /^lua(?:jit)?[\d.]*$/, language: "lua", flag: /^-e$/ },
  {
    name: /^(?:Rscript|rscript|tclsh|groovy|scala|elixir|julia|ghc|guile|racket)$/,
    language: "other",
    flag: /^-(?:e|E)$|^--eval$/,
  },
];

const MAY_BE_LANGUAGE =
  /^(?:py|ipy|perl|j?ruby|node|bun|deno|ts|php|lua|R|r|tcl|groovy|scala|elixir|julia|gh|guile|racket)/;

function languageReader(program: string): Reader | undefined {
  if (!MAY_BE_LANGUAGE.test(program)) return undefined;
  const found = LANGUAGES.find(({ name }) => name.test(program));
  return found === undefined ? undefined : (call) => readCode(call, found.language, found.flag);
}

/** Code that stands behind its option without a blank. */
function attachedCode(arg: string, language: Language): readonly string[] {
  const pattern =
    language === "python" ? /^-c(.+)$/s : language === "php" ? /^-r(.+)$/s : /^-[a-z]{0,3}e(.*[\s;()='"].*)$/s;
  const text = arg.startsWith("--") ? /^--(?:eval|print)=(.*)$/s.exec(arg)?.[1] : pattern.exec(arg)?.[1];
  return text === undefined ? [] : [text];
}

/** The code behind the option; without any file to run, the code that is piped in. */
function readCode(call: Call, language: Language, flag: RegExp): readonly Carried[] {
  const { args, stdin } = call;
  const codes = args.flatMap((arg, at) => (flag.test(arg) ? [args[at + 1] ?? ""] : attachedCode(arg, language)));
  if (codes.length > 0) return [{ type: "code", language, text: codes.join("\n") }];
  const given = /^(?:deno|bun)$/.test(call.program) && args[0] === "run" ? args.slice(1) : args;
  const readsInput = given.every((arg) => arg.startsWith("-") && arg !== "-m" && !/^--?v(?:ersion)?$/i.test(arg));
  return readsInput && stdin !== "" ? [{ type: "code", language, text: stdin }] : [];
}
