import { type Call, hasFlag, optionsOf, valuesOf } from "./call";
import { HOME } from "./markers";
import { resolveOperand } from "./paths";
import { fileKind } from "./sensitive-files";

type Finder = (call: Call) => readonly string[];

/** Files that a program would write because its arguments say so. */
export function filesWritten(call: Call): readonly string[] {
  return (Object.hasOwn(WRITERS, call.program) ? WRITERS[call.program]?.(call) : undefined) ?? [];
}

const WRITERS: Readonly<Record<string, Finder>> = {
  cp: copyTargets,
  mv: copyTargets,
  install: copyTargets,
  ln: copyTargets,
  rsync: copyTargets,
  scp: copyTargets,
  ditto: copyTargets,
  "copy-item": copyTargets,
  "move-item": copyTargets,
  copy: copyTargets,
  move: copyTargets,
  xcopy: copyTargets,
  tee: (call) => optionsOf(call).operands,
  "tee-object": (call) => optionsOf(call).operands,
  "set-content": (call) => [...valuesOf(call, "-Path"), ...optionsOf(call).operands.slice(0, 1)],
  "add-content": (call) => [...valuesOf(call, "-Path"), ...optionsOf(call).operands.slice(0, 1)],
  "out-file": (call) => [...valuesOf(call, "-FilePath"), ...optionsOf(call).operands.slice(0, 1)],
  sponge: (call) => optionsOf(call).operands,
  dd: ({ args }) => args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : [])),
  sed: (call) => (editsInPlace(call) ? optionsOf(call).operands : []),
  gsed: (call) => (editsInPlace(call) ? optionsOf(call).operands : []),
  perl: editedByCode,
  ruby: editedByCode,
  awk: (call) => (call.args.includes("inplace") ? optionsOf(call).operands : []),
  gawk: (call) => (call.args.includes("inplace") ? optionsOf(call).operands : []),
  ed: (call) => optionsOf(call).operands,
  ex: (call) => optionsOf(call).operands,
  ...Object.fromEntries("vi vim nvim nano pico emacs micro joe sudoedit".split(" ").map((name) => [name, edited])),
  sudo: (call) => (/^(?:-e|--edit)$/.test(call.args[0] ?? "") ? optionsOf(call).operands : []),
  patch: (call) => optionsOf(call).operands.slice(0, 1),
  truncate: (call) => optionsOf(call).operands,
  shred: (call) => optionsOf(call).operands,
  sort: (call) => valuesOf(call, "-o", "--output"),
  curl: (call) => valuesOf(call, "-o", "--output", "--output-dir"),
  wget: (call) => valuesOf(call, "-O", "--output-document", "-P", "--directory-prefix"),
  find: (call) => valuesOf(call, "-fprint", "-fprintf", "-fprint0", "-fls"),
  git: (call) => valuesOf(call, "--output"),
  tar: archiveTargets,
  gtar: archiveTargets,
  bsdtar: archiveTargets,
  unzip: (call) => valuesOf(call, "-d"),
  yq: (call) => (hasFlag(call, "-i", "--inplace") ? optionsOf(call).operands.slice(1) : []),
  crudini: (call) => optionsOf(call).operands,
};

/** What is opened in an editor on a screen, unless it is only shown; a project is there to be edited. */
function edited(call: Call): readonly string[] {
  if (hasFlag(call, "-R", "--view", "--help", "--version")) return [];
  return optionsOf(call).operands.filter((path) => fileKind(resolveOperand(path, call.cwd)) !== "project");
}

function editsInPlace(call: Call): boolean {
  return hasFlag(call, "--in-place") || call.args.some((arg) => /^-[nErsuz]*i/.test(arg));
}

function editedByCode(call: Call): readonly string[] {
  return call.args.some((arg) => /^-[a-z0-9]*i/.test(arg)) ? optionsOf(call).operands : [];
}

/** Where an archive is unpacked to, or the archive that is made. */
function archiveTargets(call: Call): readonly string[] {
  const { args } = call;
  const letters = /^-?[a-zA-Z]+$/.test(args[0] ?? "") ? (args[0] ?? "") : "";
  if (letters.includes("x") || hasFlag(call, "-x", "--extract", "--get")) return valuesOf(call, "-C", "--directory");
  if (letters.includes("t") || hasFlag(call, "-t", "--list", "-d", "--diff")) return [];
  const archives = args.flatMap((arg, at) => (/^-[a-zA-Z]*f$/.test(arg) ? [args[at + 1] ?? ""] : []));
  const first = /^[a-zA-Z]+f$/.test(args[0] ?? "") ? [args[1] ?? ""] : [];
  return [...first, ...archives, ...valuesOf(call, "--file")];
}

/** The last operand; of a whole home directory the files that go into it. */
function copyTargets(call: Call): readonly string[] {
  const { operands } = optionsOf(call);
  const folders = valuesOf(call, "-t", "--target-directory", "-Destination");
  if (folders.length > 0) return folders.flatMap((folder) => operands.map((source) => `${folder}/${lastName(source)}`));
  const target = operands.at(-1);
  if (operands.length < 2 || target === undefined || /^[\w.-]+@?[\w.-]*:(?!\\)/.test(target)) return [];
  if (target.replace(/\/$/, "") !== HOME) return [target];
  return operands.slice(0, -1).map((source) => `${HOME}/${lastName(source)}`);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
