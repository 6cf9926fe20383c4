import { type Call, optionsOf } from "../call";
import type { CommandRule } from "../rule";

const AGENTS = ["hermes", "talaria", "hermes_cli.main"];
const NAMED = /hermes|talaria/i;
/** A gateway that is named to be killed is most often this one. */
const NAMED_TO_KILL = /hermes|talaria|\bgateway\b|\bcli\.py\b/i;

/** Ends or replaces the agent that runs the command. */
export const agentRules: readonly CommandRule[] = [
  {
    key: "agent.lifecycle",
    category: "agent",
    description: "stop, restart or replace the agent that runs this",
    programs: AGENTS,
    verbs: ["gateway stop|restart|uninstall", "update|uninstall", "profile delete"],
    unless: ["--help", "-h", "--check"],
  },
  {
    key: "agent.second",
    category: "agent",
    description: "start a second agent beside the one that runs this",
    programs: AGENTS,
    verbs: ["gateway run|start"],
    when: isDetached,
  },
  {
    key: "agent.lifecycle",
    category: "agent",
    description: "stop, restart or replace the agent that runs this",
    programs: ["python", "python3"],
    when: (call) => {
      const words = call.args.join(" ");
      return (
        /^-m (?:hermes|talaria)\S* .*\bgateway (?:stop|restart)\b/.test(words) ||
        (/\bgateway(?:\.run\b| run\b)/.test(words) && isDetached(call))
      );
    },
  },
  {
    key: "agent.kill",
    category: "agent",
    description: "end the agent that runs this",
    programs: [
      "pkill",
      "killall",
      "kill",
      "systemctl",
      "launchctl",
      "service",
      "pm2",
      "supervisorctl",
      "taskkill",
      "stop-process",
    ],
    when: endsAgent,
  },
  {
    key: "agent.unguarded",
    category: "agent",
    description: "start an agent that asks nobody",
    programs: [...AGENTS, "claude", "codex", "gemini"],
    flags: [
      "--yolo",
      "--dangerously-skip-permissions",
      "--accept-hooks",
      "--dangerously-bypass-approvals-and-sandbox",
      "--full-auto",
    ],
    unless: ["--help"],
  },
  {
    key: "agent.configure",
    category: "agent",
    description: "change what the agent that runs this is allowed",
    programs: AGENTS,
    verbs: [
      "config set approvals.mode|security|approvals",
      "hooks approve|on|off|revoke",
      "approvals off",
      "pairing approve",
    ],
  },
];

/** It goes on when this command line is done. */
function isDetached({ via }: Call): boolean {
  return via.some((name) => /^(?:&|nohup|setsid|tmux|screen|at)$/.test(name));
}

function endsAgent(call: Call): boolean {
  const operands = optionsOf(call).operands;
  const named = /^p?kill(?:all)?$/.test(call.program) ? NAMED_TO_KILL : NAMED;
  if (!call.args.some((arg) => named.test(arg))) return false;
  if (/^(?:systemctl|service|launchctl|pm2|supervisorctl)$/.test(call.program))
    return operands.some((word) =>
      /^(?:stop|restart|kill|disable|mask|unload|bootout|kickstart|delete|remove)$/.test(word),
    );
  return true;
}
