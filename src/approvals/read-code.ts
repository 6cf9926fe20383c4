import type { Language } from "./carried";
import { HOME, UNKNOWN } from "./markers";

/** What source text of another language would do, as far as a shell could do the same. */
export interface CodeReading {
  /** Command lines that it gives to a shell. */
  readonly scripts: readonly string[];
  /** Programs with their arguments. */
  readonly calls: readonly (readonly string[])[];
  /** Files that it writes. */
  readonly writes: readonly string[];
  /** It starts programs, by whatever name. */
  readonly starts: boolean;
  /** It opens a connection of its own. */
  readonly connects: boolean;
  /** It runs text that it fetched or decoded. */
  readonly runsText: boolean;
  /** It multiplies without end. */
  readonly forks: boolean;
}

/** Longest code that is looked into; behind it only the patterns of what is dangerous as such count. */
const MAX_CHARS = 200_000;
const MAX_FINDS = 200;

// a string of any of these languages, its escapes included
const STRING = `(?:[rbfuRBFU]{0,2}(?:"(?:[^"\\\\]|\\\\[^])*"|'(?:[^'\\\\]|\\\\[^])*')|\`(?:[^\`\\\\]|\\\\[^])*\`|q[qwx]?\\{[^}]*\\}|q[qwx]?\\([^)]*\\)|%x?\\{[^}]*\\})`;
const STRINGS = new RegExp(STRING, "gu");

const RUNS =
  /(?:\b(?:os\.system|os\.popen|os\.exec\w*|os\.spawn\w*|os\.posix_spawn\w*|subprocess\.\w+|commands\.getoutput|pty\.spawn|Popen|check_(?:call|output)|run|execSync|execFileSync|execFile|spawnSync|spawn|fork|exec|system|popen|shell_exec|passthru|proc_open|pcntl_exec|io\.popen|os\.execute|Open3\.\w+|IO\.popen|Kernel\.\w+|qx|do shell script|Deno\.run|Deno\.Command|Bun\.spawn\w*|shell-command(?:-to-string)?|shell|getline)|\$(?=\s*[`(]))\s*\(?\s*\[?\s*/gu;
const STARTS =
  /\bos\.(?:system|popen|exec\w+|spawn\w+)\s*\(|\bsubprocess\b|\bpty\.spawn|\bchild_process\b|\b(?:system|shell_exec|passthru|proc_open|popen)\s*["'$(]|\bdo shell script\b|\bOpen3\b|\bos\.execute\b|\bBun\.spawn|\bDeno\.(?:run|Command)/;
const DELETES =
  /\b(?:rmtree|rm_rf|rm_r|rm_f|rmSync|rmdirSync|rimraf|remove_tree|removedirs|FileUtils\.\w+|fs\.(?:promises\.)?(?:rm|rmdir|unlink)(?:Sync)?\b|fsp\.rm|unlinkSync|os\.remove|os\.unlink|unlink|File\.delete|Dir\.(?:rmdir|delete)|Deno\.remove(?:Sync)?|emptyDirSync|removeSync|send2trash)\s*\(?\s*/gu;
const DELETES_TREE = /rmtree|rm_rf|rm_r\b|rmSync|rmdirSync|rimraf|remove_tree|\.rm\b|emptyDir|removeSync|Deno\.remove/;
const WRITES =
  /\b(?:open|writeFileSync|writeFile|appendFileSync|appendFile|file_put_contents|File\.write|IO\.write|write_text|write_bytes|fopen|File\.open|createWriteStream|Deno\.writeTextFile\w*|copyfile|copy|copy2|copyFileSync|rename|renameSync|move)\s*\(\s*/gu;
const READS =
  /\b(?:open|fopen|readFileSync|readFile|createReadStream|File\.(?:read|open)|IO\.read|file_get_contents|readfile|Path|Deno\.readTextFile\w*)\s*\(\s*(?:os\.path\.expanduser\(\s*)?/gu;
const READS_ONLY =
  /^\s*(?:\)|,\s*(?:encoding\s*=\s*)?(?:"r[bt]?"|'r[bt]?'|"utf-?8"|'utf-?8'|"<"|'<')\s*[,)]|,\s*encoding)/;

const CONNECTS =
  /\bsocket\.(?:socket|create_connection)|\bsocket\(|\bIO::Socket|\bTCPSocket|\bfsockopen|\bnet\.(?:connect|createConnection|Socket)|\bSocket\s*\(|\bpfsockopen/;
const FETCHES =
  /\burl(?:lib|open|retrieve)|requests\.(?:get|post)|\bhttps?\.get|\bfetch\s*\(|LWP::|Net::HTTP|open-uri|file_get_contents\s*\(\s*['"]https?:|\bget\s*\(?\s*['"]https?:|URI\.open|curl_exec/;
const EVALUATES =
  /\b(?:exec|eval|compile|loads|new Function|instance_eval|class_eval|__import__\s*\(\s*['"]os|vm\.run\w*|require\s*\(\s*['"]vm)\b/;
const DECODES =
  /(?:\b|_)b(?:ase)?64|b64decode|decode64|atob\s*\(|base64_decode|fromhex|unhexlify|fromCharCode|\bchr\s*\(|\bpack\s*\(?\s*['"]|rot13|zlib\.decompress|marshal\.loads|Buffer\.from/;
const FORKS =
  /\bfork\s*(?:\(\s*\))?\s*while\b|\bwhile\b[^;\n]{0,40}[\s;:{(]+(?:os\.)?fork\b|loop\s*\{?\s*(?:do\s*)?fork\b/;

/** Reads code for what it runs, deletes and writes. Not a parser: what looks like a call is taken for one. */
export function readCode(language: Language, text: string): CodeReading {
  const code = text.slice(0, MAX_CHARS);
  if (language === "awk") return readAwkCode(code);
  if (language === "sed") return { ...NOTHING, ...readSedCode(code) };
  const scripts: string[] = [];
  const calls: (readonly string[])[] = [];
  for (const { after, name } of occurrences(code, RUNS)) {
    const found = stringsOf(after);
    if (found.length > 1 && !/system|shell_exec|popen/.test(name)) calls.push(found);
    else scripts.push(...found);
  }
  if (/^(?:perl|ruby|php|other)$/.test(language)) scripts.push(...backtickTexts(code));
  return {
    scripts,
    calls: [...calls, ...deletions(code), ...readings(code)],
    writes: language === "perl" ? [...writesOf(code), ...openedByPerl(code)] : writesOf(code),
    starts: STARTS.test(code),
    connects: CONNECTS.test(code),
    runsText: EVALUATES.test(code) && (FETCHES.test(code) || DECODES.test(code)),
    forks: FORKS.test(code),
  };
}

const NOTHING: CodeReading = {
  scripts: [],
  calls: [],
  writes: [],
  starts: false,
  connects: false,
  runsText: false,
  forks: false,
};

function occurrences(code: string, pattern: RegExp): { readonly name: string; readonly after: string }[] {
  const found: { name: string; after: string }[] = [];
  for (const match of code.matchAll(pattern)) {
    if (found.length >= MAX_FINDS) break;
    const end = match.index + match[0].length;
    found.push({ name: match[0], after: code.slice(end, end + 1000) });
  }
  return found;
}

/** The strings that stand first, as in an argument list: up to the parenthesis that closes it. */
function stringsOf(after: string): readonly string[] {
  const found: string[] = [];
  let at = 0;
  for (const match of after.matchAll(STRINGS)) {
    const between = after.slice(at, match.index);
    // two strings that are joined are one
    if (!/^[\s,[(]*(?:[+.]\s*)?$/.test(between) || (found.length === 0 && between.trim() !== "")) break;
    const text = unquote(match[0]);
    if (/[+.]\s*$/.test(between) && found.length > 0) found.push((found.pop() ?? "") + text);
    else found.push(text);
    at = match.index + match[0].length;
  }
  return found;
}

function unquote(literal: string): string {
  const start = literal.search(/["'`{(]/);
  return literal.slice(start + 1, -1).replaceAll(/\\(["'`\\])/g, "$1");
}

function backtickTexts(code: string): readonly string[] {
  return [...code.matchAll(/`((?:[^`\\]|\\[^])*)`|\b(?:qx|%x)\s*[{(/]([^})/]*)[})/]/gu)]
    .slice(0, MAX_FINDS)
    .map((match) => match[1] ?? match[2] ?? "");
}

/** Deletions, as `rm` would do them. */
function deletions(code: string): (readonly string[])[] {
  return occurrences(code, DELETES).map(({ name, after }) => {
    const isTree = DELETES_TREE.test(name) || /recursive\s*:\s*true/.test(after.slice(0, 200));
    const isMany = /^.{0,60}(?:\b(?:glob|listdir|readdir\w*|walk|scandir)|<[^<>\s]*\*)/s.test(after);
    return ["rm", ...(isTree || isMany ? ["-rf"] : []), "--", pathOf(after)];
  });
}

/** What it reads, as `cat` would do it. */
function readings(code: string): (readonly string[])[] {
  return occurrences(code, READS).flatMap(({ after }) => {
    const [path] = stringsOf(after);
    return path === undefined || path.startsWith("-") ? [] : [["cat", path]];
  });
}

function pathOf(after: string): string {
  if (
    /^(?:os\.path\.expanduser\(\s*['"]~|(?:pathlib\.)?Path\.home\(\)\s*\)|(?:os|require\(["']os["']\))\.homedir\(\)\s*[,)]|Dir\.home\s*\)?$|process\.env\.HOME\s*[,)]|os\.environ\[['"]HOME['"]\]\s*\))/.test(
      after,
    )
  )
    return HOME;
  const path = stringsOf(after.replace(/^(?:pathlib\.)?Path\(\s*/, ""))[0];
  return path ?? UNKNOWN;
}

function writesOf(code: string): readonly string[] {
  const opened = occurrences(code, WRITES).flatMap(({ name, after }) => {
    const paths = stringsOf(after);
    if (/copy|rename|move/i.test(name)) return paths.slice(1, 2);
    const first = paths[0] ?? "";
    const rest = after.slice(after.indexOf(first) + first.length + 1);
    return /open/.test(name) && READS_ONLY.test(rest) ? [] : paths.slice(0, 1);
  });
  const texts = [...code.matchAll(/Path\(\s*(["'])([^"']+)\1\s*\)\.(?:write_|unlink)/g)].map((match) => match[2] ?? "");
  return [...opened, ...texts];
}

const PERL_OPENS = new RegExp(
  `\\bopen\\s*\\(?\\s*(?:my\\s+)?[$\\w]+\\s*,\\s*(${STRING})(?:\\s*,\\s*(${STRING}))?`,
  "gu",
);

/** `open F, ">file"` and `open my $f, ">", "file"`. */
function openedByPerl(code: string): readonly string[] {
  return [...code.matchAll(PERL_OPENS)].slice(0, MAX_FINDS).flatMap(([, first = "", second]) => {
    const path = /^\+?>{1,2}\s*(.*)$/s.exec(unquote(first))?.[1];
    if (path === undefined) return [];
    return path === "" && second !== undefined ? [unquote(second)] : [path];
  });
}

/** `system("...")`, `"..." | getline`, `print | "..."` and `print > "file"`. */
function readAwkCode(code: string): CodeReading {
  const strings = (pattern: RegExp): string[] =>
    [...code.matchAll(pattern)].slice(0, MAX_FINDS).map((match) => unquote(match[1] ?? '""'));
  const run = new RegExp(`(?:\\bsystem\\s*\\(\\s*|\\|&?\\s*)(${STRING})`, "gu");
  const read = new RegExp(`(${STRING})\\s*\\|&?\\s*getline`, "gu");
  const write = new RegExp(`>{1,2}\\s*(${STRING})`, "gu");
  return {
    ...NOTHING,
    scripts: [...strings(run), ...strings(read)],
    writes: strings(write),
    // what is put together from the input, and a shell that is given it
    starts: /\bsystem\s*\(\s*[^"\s)]|\|&?\s*"\s*[\w./]{0,40}\b(?:ba|da|k|z)?sh\b/.test(code),
    connects: /\/inet\/(?:tcp|udp)\//.test(code),
  };
}

/** The `e` command, the `e` flag of `s`, and the `w` command. */
function readSedCode(code: string): Partial<CodeReading> {
  const commands = [...code.matchAll(/(?:^|[;{}\n]|\d|\$|\/)\s*e\s+([^\n]+)/g)].map((match) => match[1] ?? "");
  const replaced = [...code.matchAll(/\bs([/|,#])(?:(?!\1).)*\1((?:(?!\1).)*)\1[gIip0-9]*e/g)].map(
    (match) => match[2] ?? "",
  );
  const writes = [...code.matchAll(/(?:^|[;{}\n/]|\d)[gIp0-9]*w\s+(\S+)/g)].map((match) => match[1] ?? "");
  return { scripts: [...commands, ...replaced], writes };
}
