import type { Call } from "../call";
import { REMOTE } from "../markers";
import type { CommandRule } from "../rule";

// whole drives, and what Windows or a person cannot be without
const DRIVE = String.raw`(?:[a-z]:|\$env:systemdrive|%systemdrive%)[\\/]*`;
const VITAL_FOLDER = String.raw`(?:[a-z]:[\\/]+(?:windows(?:[\\/]+system32)?|users|programdata|program files(?: \(x86\))?)|\$env:(?:windir|systemroot|userprofile|programfiles)|%(?:windir|systemroot|userprofile|programfiles)%)[\\/]*`;
const VITAL = new RegExp(`^["']?(?:${DRIVE}|${VITAL_FOLDER})\\*?["']?$`, "i");

/** Deletes what Windows stands on. */
export const windowsFloor: readonly CommandRule[] = [
  {
    key: "windows.delete-drive",
    category: "windows",
    description: "delete a whole drive, or a folder that Windows stands on",
    programs: ["remove-item", "ri", "rm", "rmdir", "rd", "deltree"],
    when: ({ args, sources }) =>
      args.some((arg) => /^(?:-rec?\w*|-r|\/s)$/i.test(arg)) && sources.some((source) => VITAL.test(source)),
  },
];

/** What PowerShell and cmd.exe would do to Windows. Switches are not case-sensitive, and may be cut short. */
const RULES: readonly CommandRule[] = [
  {
    key: "windows.delete",
    category: "windows",
    description: "delete files with everything below them, without asking",
    programs: ["del", "erase", "rd", "rmdir", "deltree"],
    when: (call) => call.program === "deltree" || hasSwitch(call, /^\/[sqf]/i),
  },
  {
    key: "windows.delete",
    category: "windows",
    description: "delete files with everything below them, without asking",
    programs: ["remove-item", "ri", "rm", "rmdir", "del", "rd", "erase", "clear-content", "clear-recyclebin"],
    when: (call) => hasSwitch(call, /^-(?:rec|recu\w*|force|fo|forc)(?::|$)/i),
  },
  {
    key: "windows.delete-key",
    category: "windows",
    description: "delete settings of Windows",
    programs: ["remove-itemproperty", "rp", "clear-itemproperty"],
  },
  {
    key: "windows.registry",
    category: "windows",
    description: "change the registry",
    programs: ["reg"],
    when: ({ args }) => /^(?:delete|add|import|restore|unload)$/i.test(args[0] ?? ""),
  },
  {
    key: "windows.kill",
    category: "windows",
    description: "end processes without letting them finish",
    programs: ["taskkill", "stop-process", "spps", "kill"],
    when: (call) =>
      hasSwitch(call, /^[/-](?:f|force|fo|forc)$/i) ||
      (call.program === "stop-process" && /-name/i.test(call.args.join(" ")) && hasSwitch(call, /^-f/i)),
  },
  {
    key: "windows.disk",
    category: "windows",
    description: "format, clear or partition a disk",
    programs: [
      "format",
      "diskpart",
      "format-volume",
      "clear-disk",
      "initialize-disk",
      "remove-partition",
      "reset-physicaldisk",
    ],
    when: ({ program, args }) => (program === "format" ? args.some((arg) => /^[a-z]:$/i.test(arg)) : true),
  },
  {
    key: "windows.disk",
    category: "windows",
    description: "format, clear or partition a disk",
    programs: ["cipher"],
    when: (call) => hasSwitch(call, /^\/w/i),
  },
  {
    key: "windows.backup",
    category: "windows",
    description: "delete backups, or change how Windows starts",
    programs: ["vssadmin", "wbadmin", "bcdedit", "wmic", "bcdboot", "bootrec"],
    when: ({ program, args }) =>
      /(?:^| )(?:delete|resize|call|create|\/set|\/delete\w*|\/import|\/fix\w+)/i.test(args.join(" ")) ||
      program === "bootrec",
  },
  {
    key: "windows.rights",
    category: "windows",
    description: "open files to everybody, or take them over",
    programs: ["icacls", "cacls", "takeown"],
    when: (call) =>
      call.program === "takeown" ||
      /everyone|\*S-1-1-0|\/reset|\/grant[^ ]* [^ ]*(?:users|guest)/i.test(call.args.join(" ")),
  },
  {
    key: "windows.service",
    category: "windows",
    description: "stop, delete or change a service",
    programs: ["sc"],
    when: ({ args }) => args.some((arg) => /^(?:stop|delete|config|failure)$/i.test(arg)),
  },
  {
    key: "windows.service",
    category: "windows",
    description: "stop, delete or change a service",
    programs: ["stop-service", "spsv", "set-service", "remove-service", "restart-service"],
    when: (call) => call.program === "remove-service" || hasSwitch(call, /^-(?:f|force|startuptype|status)/i),
  },
  {
    key: "windows.account",
    category: "windows",
    description: "change accounts or stop services",
    programs: ["net", "net1"],
    when: ({ args }) =>
      /^(?:stop|user .*(?:\/add|\/delete|\/active| \S)|localgroup .*\/(?:add|delete)|share .*\/delete)/i.test(
        args.join(" "),
      ),
  },
  {
    key: "windows.account",
    category: "windows",
    description: "change accounts or stop services",
    programs: ["new-localuser", "remove-localuser", "add-localgroupmember", "set-localuser", "disable-localuser"],
  },
  {
    key: "windows.protection",
    category: "windows",
    description: "switch a protection of Windows off",
    programs: [
      "set-executionpolicy",
      "set-mppreference",
      "add-mppreference",
      "netsh",
      "set-netfirewallprofile",
      "disable-windowsoptionalfeature",
      "wevtutil",
      "clear-eventlog",
      "fsutil",
      "auditpol",
    ],
    // as written: `$true` means nothing to another shell
    when: ({ program, sources }) => WEAKENS[program]?.test(sources.join(" ")) ?? true,
  },
  {
    key: "windows.schedule",
    category: "windows",
    description: "change what Windows runs by itself",
    programs: ["schtasks", "register-scheduledtask", "unregister-scheduledtask"],
    when: ({ program, args }) =>
      program !== "schtasks" || args.some((arg) => /^\/(?:create|delete|change)$/i.test(arg)),
  },
  {
    key: "windows.download",
    category: "windows",
    description: "fetch a file by a program that is not meant for it",
    programs: ["certutil", "bitsadmin", "mshta", "regsvr32", "rundll32", "wscript", "cscript", "msiexec"],
    when: ({ program, args }) =>
      /https?:|urlcache|[-/]decode|\/transfer|javascript:|scrobj/i.test(args.join(" ")) &&
      (program !== "msiexec" || /https?:/i.test(args.join(" "))),
  },
  {
    key: "windows.elevate",
    category: "windows",
    description: "start a program with all rights",
    programs: ["start-process", "saps", "runas"],
    when: (call) => call.program === "runas" || /-verb:? ?["']?runas/i.test(call.args.join(" ")),
  },
  {
    key: "windows.encoded",
    category: "windows",
    description: "run a command that is encoded",
    programs: ["powershell", "pwsh"],
    when: (call) => hasSwitch(call, /^[-/]e(?:c|n(?:c(?:o\w*)?)?)?$/i),
  },
  {
    key: "windows.run-remote",
    category: "windows",
    description: "run what was fetched from the network",
    programs: ["iex", "invoke-expression"],
    when: ({ args, sources, stdin }) =>
      [...args, ...sources, stdin].some(
        (text) =>
          text.includes(REMOTE) || /downloadstring|downloaddata|frombase64string|webclient|\birm\b|\biwr\b/i.test(text),
      ),
  },
  {
    key: "windows.run-remote",
    category: "windows",
    description: "run what was fetched from the network",
    programs: ["powershell", "pwsh"],
    when: ({ args }) =>
      /(?:iex|invoke-expression)\b.*(?:download|irm|iwr|invoke-web|invoke-rest|frombase64)|(?:download\w+\(|irm\b|iwr\b|invoke-webrequest\b|invoke-restmethod\b|frombase64string).*\|\s*(?:iex|invoke-expression)/i.test(
        args.join(" "),
      ),
  },
];

/** With one of these, PowerShell only says what it would do. */
const REHEARSALS = ["-WhatIf", "-whatif", "-wi"];
export const windowsRules: readonly CommandRule[] = RULES.map((rule) => ({ ...rule, unless: REHEARSALS }));

const WEAKENS: Readonly<Record<string, RegExp>> = {
  "set-executionpolicy": /bypass|unrestricted/i,
  netsh: /firewall.*(?:off|disable|delete)|advfirewall reset/i,
  "set-netfirewallprofile": /false/i,
  "set-mppreference": /true|\b1\b|exclusion/i,
  "add-mppreference": /exclusion/i,
  wevtutil: /^cl\b|clear-log/i,
  fsutil: /deletejournal|setzerodata/i,
  auditpol: /\/clear|disable/i,
};

function hasSwitch({ args }: Call, pattern: RegExp): boolean {
  return args.some((arg) => pattern.test(arg));
}
