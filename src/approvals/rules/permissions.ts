import { type Call, hasFlag, hasLongFlag, optionsOf, valuesOf } from "../call";
import { isRoot, isSystemFolder, resolveOperand } from "../paths";
import type { CommandRule } from "../rule";

const CHANGERS = ["chmod", "chown", "chgrp", "gchmod", "gchown", "chattr", "setfacl"];

/** Opens files to others, or gives them away. */
export const permissionRules: readonly CommandRule[] = [
  {
    key: "permission.world-writable",
    category: "permission",
    description: "let everybody write files",
    programs: ["chmod", "gchmod"],
    when: (call) => modesOf(call).some(isWorldWritable),
  },
  {
    key: "permission.set-id",
    category: "permission",
    description: "let whoever starts a program act as its owner",
    programs: ["chmod", "gchmod"],
    when: (call) => modesOf(call).some(setsId),
  },
  {
    key: "permission.world-writable",
    category: "permission",
    description: "let everybody write files",
    programs: ["install", "mkdir"],
    when: (call) => modesGiven(call).some(isWorldWritable),
  },
  {
    key: "permission.set-id",
    category: "permission",
    description: "let whoever starts a program act as its owner",
    programs: ["install"],
    when: (call) => modesGiven(call).some(setsId),
  },
  {
    key: "permission.world-writable",
    category: "permission",
    description: "let everybody write files",
    programs: ["setfacl"],
    when: ({ args }) => args.some((arg) => /(?:^|,)o(?:ther)?s?::?[r-]?w/.test(arg)),
  },
  {
    key: "permission.owner-root",
    category: "permission",
    description: "give whole directories to root",
    programs: ["chown", "gchown"],
    when: (call) => isRecursive(call) && /^(?:root|0)(?:[:.]|$)/.test(optionsOf(call).operands[0] ?? ""),
  },
  {
    key: "permission.capability",
    category: "permission",
    description: "give a program rights of its own",
    programs: ["setcap"],
    unless: ["-v", "-r", "--help"],
  },
  {
    key: "permission.umask",
    category: "permission",
    description: "let everybody write the files to come",
    programs: ["umask"],
    when: ({ args }) => /^0{1,4}$/.test(args[0] ?? ""),
  },
  {
    key: "permission.system",
    category: "permission",
    description: "change the rights of files of the system",
    programs: CHANGERS,
    operand: (operand, { cwd }) => /^\/(?:etc|bin|sbin|usr\/s?bin|boot)(?:\/|$)/.test(resolveOperand(operand, cwd)),
  },
];

/** Makes a system unusable by its rights. */
export const permissionFloor: readonly CommandRule[] = [
  {
    key: "permission.whole-system",
    category: "permission",
    description: "change the rights of the whole system",
    programs: CHANGERS,
    when: (call) =>
      isRecursive(call) &&
      targetsOf(call).some(
        (path) =>
          isRoot(path) || (isSystemFolder(path) && !/^\/(?:var|home|root|Users|proc|sys|dev|usr\/local)/.test(path)),
      ),
  },
];

function isRecursive(call: Call): boolean {
  return hasFlag(call, "-R") || hasLongFlag(call, "--recursive");
}

function targetsOf(call: Call): readonly string[] {
  const { operands } = optionsOf(call);
  const isModeFlag = call.args.some((arg) => /^-[rwxXst]+$/.test(arg)) || call.program === "setfacl";
  return (isModeFlag ? operands : operands.slice(1)).map((path) => resolveOperand(path, call.cwd));
}

/** The mode, also one that begins with a dash. */
function modesOf(call: Call): readonly string[] {
  const first = optionsOf(call).operands[0];
  const modes = first === undefined ? [] : first.split(",");
  return [...modes, ...call.args.filter((arg) => /^[-+=][rwxXstugo]+$/.test(arg))];
}

/** The mode that a new file is given. */
function modesGiven(call: Call): readonly string[] {
  return valuesOf(call, "-m", "--mode").flatMap((mode) => mode.split(","));
}

function isWorldWritable(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode.slice(-1), 8) & 2) !== 0;
  return (
    /^[ug]*[oa][ugoa]*[+=][rwxXst]*w/.test(mode) ||
    (/^[+=][rwxXst]*w[rwxXst]*$/.test(mode) && !/[rx]/.test(mode) && mode.startsWith("="))
  );
}

function setsId(mode: string): boolean {
  if (/^[0-7]{4,}$/.test(mode)) return (Number.parseInt(mode.slice(-4, -3), 8) & 6) !== 0;
  return /^[ugoa]*[+=][rwxXt]*s/.test(mode);
}
