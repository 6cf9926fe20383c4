import { type Call, hasFlag, hasLongFlag, optionsOf } from "../call";
import { isHome, isRoot, isSystemFolder, isSystemPath, resolveOperand } from "../paths";
import type { CommandRule } from "../rule";
import { fileKind } from "../sensitive-files";

const ANSWERS_ONLY = ["--help", "--version"];
const REMOVERS = ["rm", "grm", "srm", "rimraf", "del-cli"];

/** Deletes whole directories, or anything that a search finds. */
export const deleteRules: readonly CommandRule[] = [
  {
    key: "delete.recursive",
    category: "delete",
    description: "delete directories with everything in them",
    programs: REMOVERS,
    unless: ANSWERS_ONLY,
    when: isRecursive,
  },
  {
    key: "delete.found",
    category: "delete",
    description: "delete every file that a search or a list names",
    programs: ["rm", "grm", "srm", "unlink", "trash", "truncate"],
    when: (call) => /^(?:xargs|parallel|find|fd|fdfind)$/.test(chosenBy(call)),
  },
  {
    key: "delete.found",
    category: "delete",
    description: "delete every file that a search or a list names",
    programs: ["find-delete"],
  },
  {
    key: "delete.system-file",
    category: "delete",
    description: "delete files of the system",
    programs: ["rm", "grm", "srm", "unlink", "mv", "rmdir"],
    unless: ANSWERS_ONLY,
    when: (call) => removedBy(call).some((path) => isSystemPath(path) || isRoot(path) || IS_KEPT.test(path)),
  },
  {
    key: "delete.into-nothing",
    category: "delete",
    description: "move files where nothing is kept",
    programs: ["mv"],
    when: (call) => optionsOf(call).operands.at(-1) === "/dev/null",
  },
  {
    key: "delete.personal",
    category: "delete",
    description: "delete keys, passwords or what runs when a person logs in",
    programs: ["rm", "grm", "srm", "unlink", "mv", "del", "erase", "remove-item", "ri", "move-item"],
    unless: ANSWERS_ONLY,
    when: (call) => removedBy(call).some((path) => /^(?:credentials|start-up|agent)$/.test(fileKind(path) ?? "")),
  },
  {
    key: "delete.shred",
    category: "delete",
    description: "overwrite files so that nothing can bring them back",
    programs: ["shred", "wipe", "scrub", "bcwipe", "sfill"],
    unless: ANSWERS_ONLY,
  },
  {
    key: "delete.mirror",
    category: "delete",
    description: "delete what the source of a copy does not have",
    programs: ["rsync", "rclone", "robocopy", "tar", "gtar"],
    when: (call) => isMirror(call) && !hasFlag(call, "-n", "--dry-run", "--list-only", "--help"),
  },
  {
    key: "delete.expand-unknown",
    category: "delete",
    description: "run a program that cannot be known with the options of a recursive delete",
    programs: ["\ufdd0"],
    when: ({ args }) => args.some((arg) => /^-(?:rf|fr|Rf|fR)$/.test(arg)),
  },
];

/** Deletes what a system or a person cannot be without. */
export const deleteFloor: readonly CommandRule[] = [
  {
    key: "delete.root",
    category: "delete",
    description: "delete the root directory",
    programs: [...REMOVERS, "find-delete", "mv", "shred"],
    when: (call) => removesTree(call) && removedBy(call).some(isRoot),
  },
  {
    key: "delete.system",
    category: "delete",
    description: "delete a directory that the system stands on",
    programs: [...REMOVERS, "find-delete", "mv"],
    when: (call) => removesTree(call) && removedBy(call).some(isSystemFolder),
  },
  {
    key: "delete.home",
    category: "delete",
    description: "delete a home directory",
    programs: [...REMOVERS, "find-delete", "mv"],
    when: (call) => removesTree(call) && removedBy(call).some(isHome),
  },
  {
    key: "delete.mirror-root",
    category: "delete",
    description: "empty the root, a system or a home directory by copying something else over it",
    programs: ["rsync"],
    when: (call) => {
      const target = resolveOperand(optionsOf(call).operands.at(-1) ?? "", call.cwd);
      return (
        isMirror(call) &&
        !hasFlag(call, "-n", "--dry-run") &&
        (isRoot(target) || isSystemFolder(target) || isHome(target))
      );
    },
  },
];

/** What the system and its services keep. */
const IS_KEPT = /^\/var\/(?:lib|log|spool|mail|backups)\//;

/** What only hands a command on, and does not choose what it is about. */
const PASSED_ON: ReadonlySet<string> = new Set("sudo doas env nice nohup command sh bash busybox exec".split(" "));

/** The program that chooses what another is about; empty when its own arguments do. */
function chosenBy({ via }: Call): string {
  return via.findLast((name) => !PASSED_ON.has(name)) ?? "";
}

function isRecursive(call: Call): boolean {
  return /^(?:rimraf|del-cli)$/.test(call.program) || hasFlag(call, "-r", "-R") || hasLongFlag(call, "--recursive");
}

function removesTree(call: Call): boolean {
  if (hasFlag(call, "--help", "--version")) return false;
  // a search goes down by itself
  return /^(?:find-delete|mv)$/.test(call.program) || isRecursive(call) || chosenBy(call) === "find";
}

/** What a call takes away: of `mv` all but the target. */
function removedBy(call: Call): readonly string[] {
  const { operands } = optionsOf(call);
  const removed =
    /^(?:mv|move-item)$/.test(call.program) && !hasFlag(call, "-t", "--target-directory")
      ? operands.slice(0, -1)
      : operands;
  return removed.map((path) => resolveOperand(path, call.cwd));
}

function hasSwitch({ args }: Call, pattern: RegExp): boolean {
  return args.some((arg) => pattern.test(arg));
}

function isMirror(call: Call): boolean {
  if (call.program.endsWith("tar")) return call.args.includes("--remove-files");
  if (call.program === "rclone") return /^(?:sync|purge|delete|deletefile)$/.test(call.args[0] ?? "");
  if (call.program === "robocopy") return hasSwitch(call, /^\/(?:mir|purge|move?)$/i) && !hasSwitch(call, /^\/l$/i);
  return call.args.some((arg) => /^--(?:del(?:ete)?(?:-\w+)*|remove-source-files)$/.test(arg));
}
