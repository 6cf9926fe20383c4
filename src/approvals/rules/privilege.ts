import { type Call, hasFlag, optionsOf } from "../call";
import { type CommandRule, HARMLESS_FLAGS } from "../rule";
import { findWrapped } from "../wrappers";

const SHELLS = "bash sh zsh dash ksh fish su".split(" ");

/** Takes more rights than one command needs. */
export const privilegeRules: readonly CommandRule[] = [
  {
    key: "privilege.sudo-password",
    category: "privilege",
    description: "give sudo its password other than by hand",
    programs: ["sudo"],
    when: (call) => hasOwnFlag(call, /^-[a-zA-Z]*[SA]|^--st(?:d(?:in?)?)?$|^--as(?:k\w*)?$/),
  },
  {
    key: "privilege.root-shell",
    category: "privilege",
    description: "open a shell with all rights",
    programs: ["sudo", "doas"],
    // a login shell for a single command is no open shell
    when: (call) =>
      hasOwnFlag(call, /^-[a-zA-Z]*s|^--sh(?:e(?:ll?)?)?$/) ||
      (findWrapped(call) === undefined && hasOwnFlag(call, /^-[a-zA-Z]*i|^--lo(?:g(?:in?)?)?$/)),
  },
  {
    key: "privilege.root-shell",
    category: "privilege",
    description: "open a shell with all rights",
    programs: SHELLS,
    when: ({ via, args, hasStdin }) =>
      hasAllRights(via) && !hasStdin && args.every((arg) => /^-(?:l|i|-login|)$/.test(arg)),
  },
  {
    key: "privilege.root-shell",
    category: "privilege",
    description: "open a shell with all rights",
    programs: ["su"],
    unless: ["-c", "--command", "-V", ...HARMLESS_FLAGS],
    when: (call) =>
      GIVES_RIGHTS.test(call.via.at(-1) ?? "") ||
      /^(?:root)?$/.test(optionsOf(call).operands.find((operand) => operand !== "-") ?? ""),
  },
  {
    key: "privilege.list",
    category: "privilege",
    description: "list what sudo allows",
    programs: ["sudo"],
    when: (call) => hasOwnFlag(call, /^-[a-zA-Z]*l|^--li(?:st?)?$/),
  },
  {
    key: "privilege.account",
    category: "privilege",
    description: "change accounts, groups or passwords",
    programs: (
      "passwd chpasswd useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd newusers chsh chage visudo vipw vigr " +
      "dscl sysadminctl dseditgroup chgpasswd"
    ).split(" "),
    unless: HARMLESS_FLAGS,
    when: changesAccount,
  },
  {
    key: "privilege.schedule",
    category: "privilege",
    description: "change what the system runs by itself",
    programs: ["crontab"],
    unless: ["-l", "-V", ...HARMLESS_FLAGS],
    when: ({ args, hasStdin }) => args.length > 0 || hasStdin,
  },
];

const GIVES_RIGHTS = /^(?:sudo|doas|pkexec|run0)$/;
/** What runs a command with the rights that it was given itself, on the same machine. */
const KEEPS_RIGHTS =
  /^(?:env|nice|ionice|nohup|setsid|exec|command|time|timeout|stdbuf|find|xargs|vim?|nvim|ex|view|man|less|awk|gdb|script|strace|busybox|chroot|nsenter|unshare|setpriv|flock|taskset|(?:python|perl|ruby|php|node|lua)[\d.]*|if|&)$/;

function hasAllRights(via: readonly string[]): boolean {
  return GIVES_RIGHTS.test(via.findLast((name) => !KEEPS_RIGHTS.test(name)) ?? "");
}

/** Options with which a program only says how an account is. */
const ACCOUNT_QUESTIONS: Readonly<Record<string, RegExp>> = {
  passwd: /^(?:-[aS]+|--status)$/,
  chage: /^(?:-l|--list)$/,
  chsh: /^(?:-l|--list-shells)$/,
  visudo: /^-(?:-check|[a-z]*c[a-z]*)$/,
  sysadminctl: /^-(?:secureTokenStatus|filesystemStatus)$/,
  dseditgroup: /^(?:checkmember|read)$/,
};
const DIRECTORY_CHANGES = /^-?(?:create|delete|passwd|append|change|merge)$/;

function changesAccount({ program, args }: Call): boolean {
  if (program === "dscl") return args.some((arg) => DIRECTORY_CHANGES.test(arg));
  return !args.some((arg) => ACCOUNT_QUESTIONS[program]?.test(arg) === true);
}

/** An option of the wrapper itself, before the command that it runs. */
function hasOwnFlag(call: Call, pattern: RegExp): boolean {
  const start = findWrapped(call)?.start ?? call.args.length;
  const own = call.args.slice(0, start);
  return (
    own.some((arg, at) => pattern.test(arg) && !/^-(?:[ugpCrtThUDR]|-\w+)$/.test(own[at - 1] ?? "")) &&
    !hasFlag(call, "--help")
  );
}
