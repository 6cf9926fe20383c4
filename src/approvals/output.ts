import { type Call, hasFlag, optionsOf, valuesOf } from "./call";
import { LOOKED_UP, PRODUCED, REMOTE, SECRET, UNKNOWN, changed } from "./markers";
import { resolveOperand } from "./paths";
import { printedText } from "./printed-text";
import { isPrivateFile, isSecretFile, isSecretFolder } from "./sensitive-files";

/** What a program prints, and what it leaves in files. */
export interface Output {
  readonly text: string;
  readonly files: readonly (readonly [path: string, text: string])[];
}

/** Files of one call that are looked into. */
const MAX_FILES = 16;

type ReadFile = (path: string) => string | undefined;

// over any of these a command line can be fed from outside
const FETCHERS: ReadonlySet<string> = new Set(
  (
    "curl wget fetch lynx links elinks w3m http https xh xhs aria2c iwr irm wget2 invoke-webrequest invoke-restmethod " +
    "nc ncat netcat socat telnet dig nslookup host drill ftp tftp lftp ssh gsutil rclone ipfs start-bitstransfer bitsadmin"
  ).split(" "),
);
const COPIERS: ReadonlySet<string> = new Set(["cp", "mv", "scp", "rsync", "install"]);
const LOOK_UPS: ReadonlySet<string> = new Set(["pgrep", "pidof", "ps"]);
const ENVIRONMENT: ReadonlySet<string> = new Set(["env", "printenv", "set", "declare", "export", "typeset"]);
const SECRET_STORES: ReadonlySet<string> = new Set(
  "security pass gopass secret-tool keyring history vault op bw lpass sops chamber".split(" "),
);

/** The output of a program that runs no other. `readFile` gives what a file contains that was written on the way. */
export function outputOf(call: Call, readFile: ReadFile): Output {
  if (FETCHERS.has(call.program)) return fetched(call);
  const printed = printedText(call);
  const operands = optionsOf(call).operands;
  if (call.program === "tee") return { text: call.stdin, files: operands.map((path) => [path, call.stdin]) };
  if (COPIERS.has(call.program)) return copied(operands, readFile);
  const secret = secretIn(call);
  if (call.program === "cat" || call.program === "tac")
    return { text: concatenated(call, readFile) + secret, files: [] };
  if (printed !== undefined && secret === "") return { text: printed, files: [] };
  const lookedUp = LOOK_UPS.has(call.program) ? LOOKED_UP : "";
  const known = operands
    .slice(0, MAX_FILES)
    .flatMap((path) => readFile(path) ?? [])
    .join("");
  return { text: changed(call.stdin + known) + PRODUCED + secret + lookedUp, files: [] };
}

/** Into a file where it is told to, else out. */
function fetched(call: Call): Output {
  const named = valuesOf(
    call,
    "-o",
    "-O",
    "--output",
    "--output-document",
    "-OutFile",
    "--out",
    "--output-file",
  ).filter((path) => !path.startsWith("-"));
  const { operands } = optionsOf(call);
  const isSaved =
    call.program === "aria2c" ||
    (call.program === "wget" && !prints(call)) ||
    (call.program === "curl" && hasFlag(call, "-O", "--remote-name", "-J"));
  const folders = valuesOf(call, "-P", "--directory-prefix", "--output-dir", "-d", "--dir").slice(0, 1);
  const names = isSaved ? operands.map(lastName) : [];
  const urls = [...names, ...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))];
  const paths = [...named, ...urls];
  return { text: isSaved ? "" : REMOTE, files: paths.map((path) => [path, REMOTE]) };
}

function prints(call: Call): boolean {
  return /(?:^|\s)(?:-\w*O ?-|--output-document[= ]-|-\w*O ?\/dev\/stdout)(?:\s|$)/.test(call.args.join(" "));
}

function lastName(url: string): string {
  return url.replace(/[?#].*$/, "").replace(/^.*\//, "");
}

function concatenated(call: Call, readFile: ReadFile): string {
  const operands = optionsOf(call).operands.filter((path) => path !== "-");
  if (operands.length === 0) return call.stdin;
  return operands
    .slice(0, MAX_FILES)
    .map((path) => readFile(path) ?? UNKNOWN)
    .join("");
}

function copied(operands: readonly string[], readFile: ReadFile): Output {
  const [from = "", to = ""] = operands;
  const text = /^[\w.-]+(?:@[\w.-]+)?:(?!\\)/.test(from) ? REMOTE : readFile(from);
  const path = /(?:^|\/)\.{0,2}$/.test(to) ? `${to}/${lastName(from).replace(/^.*:/, "")}` : to;
  return { text: "", files: text === undefined ? [] : [[path, text]] };
}

/** What every secret has in its name, so that most arguments need no closer look. */
const MAY_BE_SECRET = /id_|\.|shadow|sudoers|environ|_key/;

function secretIn(call: Call): string {
  const { program, args, cwd } = call;
  const isEnvironment = ENVIRONMENT.has(program) && args.every((arg) => /^-(?:x|p|0|-null)$/.test(arg));
  if (isEnvironment || SECRET_STORES.has(program) || (program === "gpg" && hasFlag(call, "--export-secret-keys")))
    return SECRET;
  return args.some(
    (arg) =>
      MAY_BE_SECRET.test(arg) &&
      (isSecretFile(resolveOperand(arg, cwd)) || isSecretFolder(resolveOperand(arg, cwd)) || isPrivateFile(arg)),
  ) &&
    program !== "ls" &&
    program !== "stat"
    ? SECRET
    : "";
}
