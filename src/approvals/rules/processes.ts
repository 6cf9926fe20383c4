import { type Call, hasFlag, optionsOf, valuesOf } from "../call";
import { LOOKED_UP } from "../markers";
import { type CommandRule, HARMLESS_FLAGS } from "../rule";
import { targetsOfKill } from "./machine";

const FORCED = /^-(?:9|KILL|SIGKILL)$/i;
const SERVICE_VERBS = [
  "stop|restart|disable|mask|kill|isolate|try-restart|reload-or-restart|force-reload|unload|bootout|kickstart",
];

/** Ends or stops what runs. */
export const processRules: readonly CommandRule[] = [
  {
    key: "process.force-kill",
    category: "process",
    description: "end processes by name, without letting them finish",
    programs: ["pkill", "killall", "skill"],
    unless: ["-l", "--list", ...HARMLESS_FLAGS],
    when: (call) => isForced(call) || (call.program === "killall" && hasFlag(call, "-r", "--regexp")),
  },
  {
    key: "process.force-kill",
    category: "process",
    description: "end processes by name, without letting them finish",
    programs: ["fuser"],
    flags: ["-k", "--kill"],
  },
  {
    key: "process.kill-looked-up",
    category: "process",
    description: "end processes that were looked up by name",
    programs: ["kill"],
    when: ({ args }) => args.some((arg) => arg.includes(LOOKED_UP)),
  },
  {
    key: "process.kill-found",
    category: "process",
    description: "force processes from a list to end",
    programs: ["kill"],
    when: ({ via, args }) => via.includes("xargs") && isForcedKill(args),
  },
  {
    key: "process.kill-init",
    category: "process",
    description: "end the first process, or all of this session",
    programs: ["kill"],
    when: ({ args }) => targetsOfKill(args).some((target) => target === "1" || target === "0"),
  },
  {
    key: "process.kill-all-of-user",
    category: "process",
    description: "end all processes of a person",
    programs: ["pkill", "killall", "loginctl", "slay"],
    when: (call) =>
      call.program === "loginctl"
        ? /^(?:terminate|kill)-(?:user|session|seat)$/.test(call.args[0] ?? "")
        : valuesOf(call, "-u", "-U", "--user", "--euid").some((user) => !/^SR[12]$/.test(user)) &&
          optionsOf(call).operands.length < 2,
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["systemctl"],
    verbs: SERVICE_VERBS,
    unless: ["--help", "--dry-run"],
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["service", "invoke-rc.d", "rc-service"],
    when: (call) => /^(?:stop|restart|force-reload)$/.test(optionsOf(call).operands[1] ?? ""),
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["*"],
    when: ({ path, args }) =>
      /^\/etc\/(?:rc\.d\/)?init\.d\/[^/]+$/.test(path) && /^(?:stop|restart|force-reload)$/.test(args[0] ?? ""),
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["launchctl"],
    verbs: ["stop|unload|bootout|kill|kickstart|disable|remove|reboot"],
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["brew"],
    verbs: ["services stop|restart|kill"],
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["supervisorctl", "sv", "s6-svc", "initctl", "monit"],
    verbs: ["stop|restart|shutdown|reload|down|exit|force-stop|force-restart"],
  },
  {
    key: "process.service",
    category: "process",
    description: "stop, restart or disable a service",
    programs: ["update-rc.d", "chkconfig", "rc-update"],
    when: ({ args }) => args.some((arg) => /^(?:remove|disable|off|del|delete|--del)$/.test(arg)),
  },
  {
    key: "process.firewall",
    category: "process",
    description: "take the firewall down or empty it",
    programs: ["ufw", "iptables", "ip6tables", "nft", "firewall-cmd", "pfctl", "netsh", "iptables-restore", "ebtables"],
    when: opensFirewall,
  },
  {
    key: "process.network",
    category: "process",
    description: "cut the network off",
    programs: ["ip", "ifconfig", "nmcli", "ifdown", "disable-netadapter"],
    when: ({ program, args }) =>
      /^(?:ifdown|disable-netadapter)$/.test(program) ||
      /(?:^| )(?:down|flush|off|disconnect)(?: |$)|^(?:route|addr|link) del/.test(args.join(" ")),
  },
  {
    key: "process.security-module",
    category: "process",
    description: "switch a protection of the system off",
    programs: [
      "setenforce",
      "aa-teardown",
      "aa-disable",
      "spctl",
      "csrutil",
      "auditctl",
      "modprobe",
      "rmmod",
      "insmod",
      "sysctl",
      "fdesetup",
      "bputil",
      "nvram",
    ],
    when: weakensSystem,
  },
];

function isForced(call: Call): boolean {
  const signal = valuesOf(call, "-s", "--signal").some((value) => /^(?:9|(?:SIG)?KILL)$/i.test(value));
  return signal || call.args.some((arg) => FORCED.test(arg));
}

function isForcedKill(args: readonly string[]): boolean {
  return args.some((arg) => FORCED.test(arg)) || (args[0] === "-s" && /KILL|9/i.test(args[1] ?? ""));
}

function opensFirewall(call: Call): boolean {
  const words = call.args.join(" ");
  if (call.program === "ufw")
    return !hasFlag(call, "--dry-run") && /(?:^| )(?:disable|reset|default allow|delete )/.test(words);
  if (call.program === "pfctl") return hasFlag(call, "-d", "-F");
  if (call.program === "nft") return /(?:^| )(?:flush|delete|destroy) /.test(words);
  if (call.program === "netsh") return /firewall.*(?:off|disable|delete)/i.test(words);
  if (call.program === "firewall-cmd") return /--(?:panic-on|remove-|complete-reload)/.test(words);
  return hasFlag(call, "-F", "--flush", "-X", "-D", "--delete") || /-P \w+ ACCEPT/.test(words);
}

function weakensSystem({ program, args }: Call): boolean {
  const words = args.join(" ");
  if (program === "setenforce") return /^(?:0|permissive)$/i.test(words);
  if (program === "spctl") return /--(?:master|global)-disable/.test(words);
  if (program === "csrutil") return /disable/.test(words);
  if (program === "auditctl") return /-e ?0|-D/.test(words);
  if (program === "modprobe") return /-r|--remove/.test(words);
  if (program === "sysctl") return /-w|--write|=/.test(words) && !words.startsWith("-n");
  if (program === "nvram") return /=|-c|-d/.test(words);
  return program === "fdesetup" ? /disable/.test(words) : true;
}
