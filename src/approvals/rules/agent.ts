import { type Call, optionsOf } from "../call";
import type { CommandRule } from "../rule";

const AGENTS = ["hermes", "talaria"];
const NAMED = /hermes|talaria/i;
/** A gateway that is named to be killed is most often this one. */
const NAMED_TO_KILL = /hermes|talaria|\bgateway\b/i;

/** Ends or replaces the agent that runs the command. */
export const agentRules: readonly CommandRule[] = [
  {
    key: "agent.lifecycle",
    category: "agent",
    description: "stop, restart or replace the agent that runs this",
    programs: AGENTS,
    verbs: ["gateway stop|restart|run|start|uninstall", "update|uninstall", "profile delete", "pause"],
    unless: ["--help", "-h", "--check"],
  },
  {
    key: "agent.lifecycle",
    category: "agent",
    description: "stop, restart or replace the agent that runs this",
    programs: ["python", "python3"],
    when: ({ args }) => /(?:-m\s+)?(?:hermes_cli|gateway[./]run|hermes)\S*\s.*\b(?:gateway|run)\b|gateway[./]run/.test(args.join(" ")),
  },
  {
    key: "agent.kill",
    category: "agent",
    description: "end the agent that runs this",
    programs: ["pkill", "killall", "kill", "systemctl", "launchctl", "service", "pm2", "supervisorctl", "taskkill", "stop-process"],
    when: endsAgent,
  },
  {
    key: "agent.unguarded",
    category: "agent",
    description: "start an agent that asks nobody",
    programs: [...AGENTS, "claude", "codex", "gemini"],
    flags: ["--yolo", "--dangerously-skip-permissions", "--accept-hooks", "--dangerously-bypass-approvals-and-sandbox", "--full-auto"],
    unless: ["--help"],
  },
  {
    key: "agent.configure",
    category: "agent",
    description: "change what the agent that runs this is allowed",
    programs: AGENTS,
    verbs: ["config set approvals.mode|security|approvals", "hooks approve|on|off|revoke", "approvals off", "pairing approve"],
  },
];

function endsAgent(call: Call): boolean {
  const operands = optionsOf(call).operands;
  const named = /^p?kill(?:all)?$/.test(call.program) ? NAMED_TO_KILL : NAMED;
  if (!call.args.some((arg) => named.test(arg))) return false;
  if (/^(?:systemctl|service|launchctl|pm2|supervisorctl)$/.test(call.program)) return operands.some((word) => /^(?:stop|restart|kill|disable|mask|unload|bootout|kickstart|delete|remove)$/.test(word));
  return true;
}
