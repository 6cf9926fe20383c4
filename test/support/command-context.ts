import type { CommandContext } from "#src/domain/command";
import { commands } from "#src/commands/registry";

const NOW = 1_760_000_000_000;

type Session = CommandContext["session"];

/** A quiet conversation of four messages by somebody who is no owner, changed as a test wants it. */
export function commandContext(
  session: Partial<Session> = {},
  rest: Partial<Omit<CommandContext, "session">> = {},
): CommandContext {
  return {
    sessionKey: "main:telegram:dm:7001",
    profile: "main",
    platform: "telegram",
    user: { id: "7001", name: "Ada", isOwner: false },
    now: NOW,
    models: [],
    modelProblem: () => undefined,
    commands,
    compress: async () => "Compressed.",
    dispatchTool: async () => "",
    hooks: async () => "Hooks are on. 0 hooks.",
    profilePort: {
      approvePairing: async () => undefined,
      setModel: async () => undefined,
      usage: async () => [],
    },
    ...rest,
    session: {
      epoch: 1,
      startedAt: NOW - 3_600_000,
      messageCount: 4,
      model: { provider: "demo", name: "demo", isOverride: false },
      usage: { inputTokens: 1200, outputTokens: 340, calls: 2 },
      queued: 0,
      ...session,
    },
  };
}

/** A turn that has run for ninety seconds. */
export const RUNNING = { startedAt: NOW - 90_000, steps: 2, doing: "terminal" } as const;

export const OWNER = { id: "1", isOwner: true } as const;
