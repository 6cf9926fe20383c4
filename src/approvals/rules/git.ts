import { type Call, hasFlag, optionsOf, valuesOf } from "../call";
import type { CommandRule } from "../rule";

const GIT = ["git"];
const HARMLESS = ["--help", "-h", "--dry-run"];

/** Loses work that is nowhere else, or rewrites what others have. */
export const gitRules: readonly CommandRule[] = [
  {
    key: "git.reset-hard",
    category: "git",
    description: "throw away changes that were not committed",
    programs: GIT,
    verbs: ["reset"],
    flags: ["--hard", "--merge"],
    unless: HARMLESS,
  },
  {
    key: "git.force-push",
    category: "git",
    description: "rewrite history that others may have",
    programs: GIT,
    verbs: ["push"],
    unless: ["-n", ...HARMLESS],
    when: (call) =>
      hasFlag(call, "-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror") ||
      optionsOf(call)
        .operands.slice(2)
        .some((ref) => ref.startsWith("+")),
  },
  {
    key: "git.delete-remote",
    category: "git",
    description: "delete branches or tags that others may have",
    programs: GIT,
    verbs: ["push"],
    unless: ["-n", ...HARMLESS],
    when: (call) =>
      hasFlag(call, "-d", "--delete", "--prune") ||
      optionsOf(call)
        .operands.slice(2)
        .some((ref) => /^:./.test(ref)),
  },
  {
    key: "git.clean",
    category: "git",
    description: "delete files that git does not know",
    programs: GIT,
    verbs: ["clean"],
    flags: ["-f", "--force"],
    unless: ["-n", ...HARMLESS],
  },
  {
    key: "git.branch-delete",
    category: "git",
    description: "delete or move a branch with its commits",
    programs: GIT,
    verbs: ["branch"],
    unless: HARMLESS,
    when: (call) =>
      hasFlag(call, "-D", "-M", "-C") || (hasFlag(call, "-f", "--force") && optionsOf(call).operands.length > 1),
  },
  {
    key: "git.discard",
    category: "git",
    description: "throw away changes of files",
    programs: GIT,
    verbs: ["checkout|switch|restore"],
    unless: HARMLESS,
    when: discardsChanges,
  },
  {
    key: "git.stash-drop",
    category: "git",
    description: "delete stashed changes",
    programs: GIT,
    verbs: ["stash drop|clear"],
    unless: HARMLESS,
  },
  {
    key: "git.rewrite",
    category: "git",
    description: "rewrite history, or delete what could bring it back",
    programs: GIT,
    verbs: [
      "filter-branch",
      "filter-repo",
      "reflog expire|delete",
      "update-ref",
      "prune",
      "replace",
      "gc",
      "worktree remove",
      "tag",
      "submodule deinit",
      "rm",
      "symbolic-ref",
    ],
    unless: ["--list", "-l", "-n", ...HARMLESS],
    when: rewrites,
  },
  {
    key: "git.runs-program",
    category: "git",
    description: "make git run a program of somebody's choice",
    programs: GIT,
    when: (call) => setsProgram(call) || call.args.some((arg) => arg.startsWith("ext::")),
  },
  {
    key: "git.runs-program",
    category: "git",
    description: "make git run a program of somebody's choice",
    programs: GIT,
    when: ({ environment }) =>
      [...environment.keys()].some((name) =>
        /^GIT_(?:SSH_COMMAND|SSH|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PROXY_COMMAND|ASKPASS|EXEC_PATH|CONFIG_\w+)$/.test(
          name,
        ),
      ) && [...environment.values()].some((value) => /\b(?:sh|bash) -c\b|^\/tmp\//.test(value)),
  },
];

const RUNNING_KEYS =
  /^(?:core\.(?:hookspath|sshcommand|fsmonitor|editor|pager|gitproxy|askpass)|credential(?:\..+)?\.helper|diff\.external|(?:diff|merge|filter)\..+\.(?:command|driver|textconv|clean|smudge|process)|gpg\.program|protocol\.ext\.allow|uploadpack\.packobjectshook|http\.(?:proxy|sslverify)|url\..+\.insteadof|alias\..+|sequence\.editor|init\.templatedir|remote\..+\.(?:uploadpack|receivepack|url))$/i;

/** Settings that name a program, but one that everybody has. */
function isPlainSetting(setting: string): boolean {
  const [, key = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(setting) ?? [];
  if (/^(?:alias\.|http\.proxy)/i.test(key)) return true;
  return (
    /^(?:core\.(?:editor|pager|fsmonitor)|sequence\.editor|http\.sslverify|credential\.helper)$/i.test(key) &&
    /^(?:cat|less(?: -\w+)*|more|true|false|:|vim?|nvim|nano|delta|bat|code --wait|ed|cache.*|osxkeychain|manager)?$/.test(
      value,
    )
  );
}

/** A setting that names a program, for one call or for good. */
function setsProgram(call: Call): boolean {
  const own = valuesOf(call, "-c", "--config-env").some(
    (value) => RUNNING_KEYS.test(value.split("=", 1)[0] ?? "") && !isPlainSetting(value),
  );
  const { operands } = optionsOf(call);
  if (
    operands[0] !== "config" ||
    hasFlag(call, "--get", "--list", "-l", "--get-all", "--get-regexp", "--unset", "--unset-all")
  )
    return own;
  const [key = "", value] = operands.slice(operands[1] === "set" ? 2 : 1);
  if (value === undefined) return own;
  const isHarmless =
    !/\b(?:ba|z|da)?sh -c\b|[;|&`$]|^\/tmp\//.test(value) &&
    /^(?:core\.(?:editor|pager)|sequence\.editor|remote\..*\.url|http\.proxy|gpg\.program|url\..*)$/i.test(key);
  const isCommand = !/^alias\./i.test(key) || value.startsWith("!");
  return (
    own ||
    (RUNNING_KEYS.test(key) && !isHarmless && isCommand && !/^credential/i.test(key)) ||
    (/^credential.*helper$/i.test(key) && /^[!/]|store/.test(value))
  );
}

function discardsChanges(call: Call): boolean {
  const { operands } = optionsOf(call);
  const isForced = hasFlag(call, "-f", "--force", "--discard-changes", "--ours", "--theirs");
  const verb = operands[0];
  if (verb === "switch") return isForced;
  if (verb === "restore") return !(hasFlag(call, "--staged", "-S") && !hasFlag(call, "--worktree", "-W"));
  const paths = call.args.includes("--") ? call.args.slice(call.args.indexOf("--") + 1) : [];
  if (hasFlag(call, "-b", "-B", "--orphan", "-t", "--track")) return false;
  return (
    isForced ||
    paths.length > 0 ||
    operands.slice(1).some((operand) => operand === "." || operand === "*" || operand === ":/")
  );
}

function rewrites(call: Call): boolean {
  const [verb, next] = optionsOf(call).operands;
  if (verb === "update-ref") return hasFlag(call, "-d") || hasFlag(call, "--stdin");
  if (verb === "gc") return call.args.some((arg) => /^--prune=(?:now|all)/.test(arg));
  if (verb === "tag") return hasFlag(call, "-d", "--delete", "-f", "--force") && next !== undefined;
  if (verb === "worktree" || verb === "submodule") return hasFlag(call, "-f", "--force");
  if (verb === "rm") return hasFlag(call, "-f", "--force", "-r") && !hasFlag(call, "--cached");
  if (verb === "symbolic-ref") return hasFlag(call, "-d", "--delete");
  return verb !== "replace" || hasFlag(call, "-d", "--delete", "-f");
}
