import { type Call, optionsOf, valuesOf } from "../call";
import { matchesRule } from "../match-rule";
import { resolveOperand } from "../paths";
import { programName } from "../program-name";
import type { CommandRule } from "../rule";
import { findWrapped } from "../wrappers";

const POWER = ["shutdown", "reboot", "halt", "poweroff"];
const ANSWERS_ONLY = ["--help", "--version", "--show", "--wtmp-only", "-w"];
const LEVELS = /^(?:0|6)$/;
const SYSTEMD_VERBS = ["poweroff|reboot|halt|kexec|soft-reboot"];

/** Options that empty a record. */
const CLEARS: Readonly<Record<string, RegExp>> = {
  history: /^-[a-z]*[cd]/,
  dmesg: /^-[a-zA-Z]*[cC]|^--(?:read-)?clear$/,
  journalctl: /^--vacuum-/,
  lastlog: /^(?:-C|--clear)$/,
  faillock: /^--reset$/,
};

/** Programs that have another stop the machine. */
const POWER_BY_OTHERS: Readonly<Record<string, RegExp>> = {
  osascript: /\b(?:tell app(?:lication)? "(?:System Events|Finder|loginwindow)" to |^)(?:shut down|restart)\b/i,
  wmic: /\bos\b.*\bcall (?:reboot|shutdown|win32shutdown)\b/i,
  rundll32: /\bExitWindows|SHExitWindowsEx/i,
  "dbus-send": /\.(?:PowerOff|Reboot|Halt)\b/,
  busctl: /\b(?:PowerOff|Reboot|Halt)\b/,
  gdbus: /\.(?:PowerOff|Reboot|Halt)\b/,
};

/** Stops the machine, and all that runs on it. */
export const machineFloor: readonly CommandRule[] = [
  {
    key: "machine.power",
    category: "machine",
    description: "shut down or restart the machine",
    programs: [...POWER, "stop-computer", "restart-computer"],
    unless: ANSWERS_ONLY,
    when: (call) => !cancels(call) && !isOwnProgram(call),
  },
  {
    key: "machine.power",
    category: "machine",
    description: "shut down or restart the machine",
    programs: ["init", "telinit"],
    when: (call) => LEVELS.test(optionsOf(call).operands[0] ?? "") && !isOwnProgram(call),
  },
  {
    key: "machine.power",
    category: "machine",
    description: "shut down or restart the machine",
    programs: ["systemctl", "loginctl"],
    verbs: SYSTEMD_VERBS,
    unless: ["--help", "--version", "--dry-run"],
  },
  {
    key: "machine.power",
    category: "machine",
    description: "shut down or restart the machine",
    programs: ["systemctl"],
    verbs: ["start|isolate poweroff.target|reboot.target|halt.target|kexec.target|runlevel0.target|runlevel6.target"],
  },
  {
    key: "machine.power",
    category: "machine",
    description: "shut down or restart the machine",
    programs: Object.keys(POWER_BY_OTHERS),
    when: ({ program, args }) => POWER_BY_OTHERS[program]?.test(args.join(" ")) === true,
  },
  {
    key: "machine.kexec",
    category: "machine",
    description: "replace the running kernel",
    programs: ["kexec"],
    flags: ["-e", "--exec"],
  },
  {
    key: "machine.kill-all",
    category: "machine",
    description: "end every process",
    programs: ["kill"],
    when: ({ args }) => targetsOfKill(args).includes("-1"),
  },
  {
    key: "machine.kill-all",
    category: "machine",
    description: "end every process",
    programs: ["killall5"],
  },
];

/** A machine that is stopped in a roundabout way: by a path, inside of another shell or program, with options in between. */
export const machineRules: readonly CommandRule[] = [
  {
    key: "machine.roundabout",
    category: "machine",
    description: "stop the machine in a roundabout way",
    programs: [
      ...POWER,
      "init",
      "telinit",
      "systemctl",
      "loginctl",
      "kill",
      "killall5",
      "stop-computer",
      "restart-computer",
      "kexec",
      ...Object.keys(POWER_BY_OTHERS),
    ],
    when: (call) => isRoundabout(call) && stopsMachine(call),
  },
  {
    key: "machine.roundabout",
    category: "machine",
    description: "stop the machine in a roundabout way",
    programs: ["sudo"],
    when: stopsAsSomebody,
  },
  {
    key: "machine.sleep",
    category: "machine",
    description: "send the machine to sleep, or leave one person alone with it",
    programs: ["systemctl", "loginctl"],
    verbs: ["suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency"],
    unless: ["--help", "--version", "--dry-run"],
  },
  {
    key: "machine.sleep",
    category: "machine",
    description: "send the machine to sleep, or leave one person alone with it",
    programs: ["init", "telinit", "pm-suspend", "pm-hibernate", "rtcwake", "pmset"],
    unless: ["--help", "--version", "-n", "--dry-run"],
    when: sleeps,
  },
  {
    key: "machine.traces",
    category: "machine",
    description: "delete the record of what was done here",
    programs: Object.keys(CLEARS),
    when: ({ program, args }) => args.some((arg) => CLEARS[program]?.test(arg) === true),
  },
  {
    key: "machine.traces",
    category: "machine",
    description: "delete the record of what was done here",
    programs: ["rm", "unlink", "shred", "truncate", "ln"],
    unless: ["--help", "--version"],
    operand: (operand) => /(?:^|\/)\.(?:ba|z|k)?sh_history$/.test(operand),
  },
  {
    key: "process.kill-all",
    category: "process",
    description: "end every process",
    programs: ["kill"],
    when: ({ args }) => args[0] === "-9" && targetsOfKill(args).includes("-1"),
  },
];

function sleeps(call: Call): boolean {
  const { program, args } = call;
  if (program === "pmset") return args.includes("sleepnow");
  if (program === "rtcwake")
    return valuesOf(call, "-m", "--mode").some((mode) => !/^(?:no|on|show|disable)$/.test(mode));
  return program.startsWith("pm-") || (/^(?:1|s|S)$/.test(optionsOf(call).operands[0] ?? "") && !isOwnProgram(call));
}

const PLAIN_PREFIXES: ReadonlySet<string> = new Set(["sudo", "env", "exec", "nohup", "setsid", "time", "command", "&"]);

/** Ways that few think of. */
const UNCOMMON: ReadonlySet<string> = new Set([
  ..."loginctl kexec killall5 stop-computer restart-computer".split(" "),
  ...Object.keys(POWER_BY_OTHERS),
]);

function stopsMachine(call: Call): boolean {
  return machineFloor.some((rule) => rule.programs.includes(call.program) && matchesRule(rule, call));
}

/** `sudo -u root reboot`: between `sudo` and the program stands more than options. */
function stopsAsSomebody(call: Call): boolean {
  const start = findWrapped(call)?.start ?? 0;
  const [path = "", ...args] = call.args.slice(start);
  const hasValues = call.args.slice(0, start).some((arg) => !arg.startsWith("-"));
  return hasValues && stopsMachine({ ...call, program: programName(path, path, false), path, args });
}

function isRoundabout({ path, via, args, program, environment }: Call): boolean {
  if (environment.size > 0 && !via.includes("env")) return true;
  if (UNCOMMON.has(program)) return true;
  if (path.includes("/") || path !== program) return true;
  if (program === "systemctl" && /^(?:-|(?:start|isolate)$)/.test(args[0] ?? "")) return true;
  return via.some((name) => !PLAIN_PREFIXES.has(name));
}

/** A program of the project, that is only called like one of the system: `./init`. */
function isOwnProgram({ path, cwd }: Call): boolean {
  const isRelative = /^(?:\.{1,2}|[\w-][\w.-]*)\//.test(path);
  return isRelative && !/(?:^|\/)s?bin\/[^/]*$/.test(resolveOperand(path, cwd));
}

/** `shutdown -c` and `shutdown /a` take a shutdown back; `shutdown -k` only warns. */
function cancels({ program, args }: Call): boolean {
  return program === "shutdown" && args.some((arg) => /^(?:-c|-k|\/a|-a|\/\?)$/i.test(arg));
}

/** The processes of a `kill`, without the signal in front of them. */
export function targetsOfKill(args: readonly string[]): readonly string[] {
  const [first = "", second] = args;
  if (first === "--") return args.slice(1);
  if (/^(?:-s|-n|--signal)$/.test(first)) return args.slice(second === undefined ? 1 : 2).filter((arg) => arg !== "--");
  // alone it is a signal without a process: nothing is lost where it is refused
  if (first === "-1" && second === undefined) return args;
  return (first.startsWith("-") ? args.slice(1) : args).filter((arg) => arg !== "--");
}
