import { normaliseCommand } from "./normalise-command";
import { type RuleIndex, indexRules, matchesRule } from "./match-rule";
import type { Rule } from "./rule";
import { agentRules } from "./rules/agent";
import { cloudRules } from "./rules/cloud";
import { containerRules } from "./rules/containers";
import { databaseRules } from "./rules/database";
import { deleteFloor, deleteRules } from "./rules/delete";
import { diskFloor, diskRules } from "./rules/disk";
import { gitRules } from "./rules/git";
import { machineFloor, machineRules } from "./rules/machine";
import { networkRules } from "./rules/network";
import { permissionFloor, permissionRules } from "./rules/permissions";
import { privilegeRules } from "./rules/privilege";
import { processRules } from "./rules/processes";
import { windowsFloor, windowsRules } from "./rules/windows";
import { writeFloor, writeRule } from "./rules/writes";
import { runWhole } from "./run-script";
import { type Budget, type Observer, type Sign, beginWalk, budgetFor } from "./walk";
import { SINGLE_QUOTE_LEFT_OPEN } from "#src/lib/shell/reader";

/** What the rules say of a command line. */
export interface CommandVerdict {
  /** It is never run, whoever allows it. */
  readonly hardline?: Rule;
  /** It is run when a person allows it: the first of the rules that it meets. */
  readonly dangerous?: Rule;
  /** Every rule that asks, each key once: all of them must be allowed. */
  readonly rules: readonly Rule[];
}

/** Where Windows is at work, a backslash is a backslash. */
const WINDOWS_PATH = /(?:^|[\s"'=(])(?:[A-Za-z]:|\$(?:env:\w+|home)|%\w+%|\\)\\/i;

/** Longer command lines are not judged, and not run. */
const MAX_COMMAND_CHARS = 128_000;

const FLOOR: RuleIndex = indexRules([
  ...deleteFloor,
  ...diskFloor,
  ...machineFloor,
  ...permissionFloor,
  ...windowsFloor,
]);
/** The floor is asked about, too, but for stopping the machine by its plain name: that is never anything else. */
const ASKED_FLOOR: RuleIndex = indexRules([...deleteFloor, ...diskFloor, ...permissionFloor, ...windowsFloor]);
const ASKS: RuleIndex = indexRules([
  ...deleteRules,
  ...diskRules,
  ...machineRules,
  ...processRules,
  ...permissionRules,
  ...privilegeRules,
  ...databaseRules,
  ...gitRules,
  ...containerRules,
  ...cloudRules,
  ...windowsRules,
  ...agentRules,
  ...networkRules,
]);

const ASKS_OF_ALL = ASKS.get("*") ?? [];

const TOO_LONG: Rule = {
  key: "unreadable.too-long",
  category: "unreadable",
  description: "do more than can be looked through",
};
const FORK_BOMB: Rule = {
  key: "machine.fork-bomb",
  category: "machine",
  description: "start itself over and over until nothing else runs",
};

const OPEN_QUOTE: Rule = {
  key: "unreadable.open-quote",
  category: "unreadable",
  description: "leave a quote open, and with it hide what follows",
};

const SIGNS: Readonly<Record<Sign, Rule>> = {
  "too-complex": TOO_LONG,
  "fork-bomb": FORK_BOMB,
  "runs-remote": { key: "remote-code.run", category: "remote-code", description: "run what comes from the network" },
  "runs-decoded": {
    key: "remote-code.decoded",
    category: "remote-code",
    description: "run text that is encoded or encrypted",
  },
  "runs-produced": {
    key: "remote-code.produced",
    category: "remote-code",
    description: "run what another program puts out",
  },
  "runs-made": {
    key: "remote-code.made",
    category: "remote-code",
    description: "run a file that was only just made a program",
  },
  "starts-programs": {
    key: "remote-code.starts-programs",
    category: "remote-code",
    description: "start programs by a script on the command line",
  },
  connects: {
    key: "remote-code.connect",
    category: "remote-code",
    description: "open a network connection by a script, for whatever comes through it",
  },
};

/**
 * Judges a command line before it is run, by what a shell would make of it: through quotes, expansions, substitutions,
 * wrappers, other shells and other languages. Never throws; takes time in proportion to the command.
 */
export function judgeCommand(command: string): CommandVerdict {
  if (command.length > MAX_COMMAND_CHARS) return { hardline: TOO_LONG, dangerous: TOO_LONG, rules: [TOO_LONG] };
  const found: Found = { floor: undefined, asks: new Map(), budget: budgetFor(command.length) };
  // what stands behind an open double quote is still seen; behind a single one nothing is
  if (look(command, found) === SINGLE_QUOTE_LEFT_OPEN) found.floor ??= OPEN_QUOTE;
  const shown = normaliseCommand(command);
  if (shown !== command) look(shown, found);
  if (WINDOWS_PATH.test(shown)) look(shown.replaceAll("\\", "\\\\"), found);
  const rules = [...found.asks.values()];
  const [first] = rules;
  return {
    rules,
    ...(found.floor === undefined ? {} : { hardline: found.floor }),
    ...(first === undefined ? {} : { dangerous: first }),
  };
}

interface Found {
  floor: Rule | undefined;
  readonly asks: Map<string, Rule>;
  readonly budget: Budget;
}

function look(command: string, found: Found): string | undefined {
  return runWhole(command, beginWalk(observerOf(found), found.budget), undefined).problem;
}

function observerOf(found: Found): Observer {
  const never = (rule: Rule): void => {
    found.floor ??= rule;
  };
  const ask = (rule: Rule): void => {
    if (!found.asks.has(rule.key)) found.asks.set(rule.key, rule);
  };
  return {
    onCall: (call) => {
      for (const rule of FLOOR.get(call.program) ?? []) if (matchesRule(rule, call)) never(rule);
      for (const rule of ASKED_FLOOR.get(call.program) ?? []) if (matchesRule(rule, call)) ask(rule);
      for (const rule of ASKS.get(call.program) ?? []) if (matchesRule(rule, call)) ask(rule);
      for (const rule of ASKS_OF_ALL) if (matchesRule(rule, call)) ask(rule);
    },
    onWrite: (path, how) => {
      const floor = writeFloor(path);
      if (floor !== undefined) never(floor);
      const rule = writeRule(path) ?? (how === "program" ? floor : undefined);
      if (rule !== undefined) ask(rule);
    },
    onSign: (sign) => {
      if (sign === "too-complex" || sign === "fork-bomb") never(SIGNS[sign]);
      ask(SIGNS[sign]);
    },
  };
}
