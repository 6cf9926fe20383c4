import type { Usage } from "./provider";

/** What a slash command may know of the session it was typed in. Plain data, read before it runs. */
export interface CommandContext {
  readonly sessionKey: string;
  readonly profile: string;
  readonly platform: string;
  readonly user: { readonly id: string; readonly name?: string; readonly isOwner: boolean };
  /** Epoch milliseconds. */
  readonly now: number;
  readonly session: {
    readonly title?: string;
    /** Counts the conversations of this session: `/new` adds one. */
    readonly epoch: number;
    readonly startedAt: number;
    readonly messageCount: number;
    readonly model: { readonly provider: string; readonly name: string; readonly isOverride: boolean };
    readonly usage: Usage & { readonly calls: number; readonly costUsd?: number };
    /** The turn that is running beside this command, if any. */
    readonly running?: { readonly startedAt: number; readonly steps: number; readonly doing: string };
    readonly queued: number;
    /** The running turn asks whether a call may run. */
    readonly isWaitingForApproval?: boolean;
    /** Dangerous commands run without a question. */
    readonly isYolo?: boolean;
  };
  /** Names that `/model` accepts without question, from config. */
  readonly models: readonly string[];
  /** Why a model cannot be asked here, in a sentence; undefined when it can. */
  modelProblem(name: string): string | undefined;
  /** Every registered command, for `/help`. */
  readonly commands: readonly Command[];
  /**
   * Runs a tool as the agent would: its arguments are checked, hooks and rules stand before it. Resolves with what the
   * model would read.
   */
  dispatchTool(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** Makes a summary of the conversation so far, or says what would become of it. Resolves with what to tell. */
  compress(wish: {
    readonly isPreview?: true;
    readonly keepTurns?: number;
    /** What matters most. */
    readonly focus?: string;
  }): Promise<string>;
  /** Answers what stands after `/hooks`; only for the owner's own words. */
  hooks(args: string): Promise<string>;
  /** Asks the profile; only for an owner's commands. */
  readonly profilePort: {
    approvePairing(code: string): Promise<{ readonly platform: string; readonly userId: string } | undefined>;
    setModel(model: string): Promise<void>;
    usage(): Promise<
      readonly {
        readonly day: string;
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly calls: number;
        readonly costUsd?: number;
      }[]
    >;
  };
}

/** What a command changes in the session: applied with its reply in one transaction, so it happens once. */
export type CommandEffect =
  | { readonly type: "new_epoch"; readonly title?: string }
  | { readonly type: "stop" }
  /** Hides the last `turns` exchanges from the model. */
  | { readonly type: "undo"; readonly turns: number }
  /** Hides the last exchange and runs its message again. */
  | { readonly type: "retry" }
  | { readonly type: "set_title"; readonly title: string }
  /** `undefined` goes back to the profile's model. */
  | { readonly type: "set_model"; readonly model: string | undefined }
  /** Answers the open question whether a call may run. */
  | {
      readonly type: "answer_approval";
      readonly choice: "once" | "session" | "always" | "deny";
      /** Why not, in the person's words: the agent reads it. */
      readonly reason?: string;
    }
  | { readonly type: "set_yolo"; readonly isOn: boolean }
  /** Runs as a turn of its own after the running one. */
  | { readonly type: "queue"; readonly text: string }
  /** Joins the running turn beside its next tool result; a turn of its own when none runs. */
  | { readonly type: "steer"; readonly text: string };

export interface CommandResult {
  /** Markdown; absent when the effect itself is the answer (`stop` of a running turn, `retry`). */
  readonly reply?: string;
  readonly effects?: readonly CommandEffect[];
}

/** One slash command. Handled before the model and never shown to it. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What `/help` says: one line. */
  readonly summary: string;
  /** Arguments as `/help` shows them, e.g. `[name]`. */
  readonly usage?: string;
  /** Only the owner may use it. */
  readonly ownerOnly?: boolean;
  /**
   * While a turn runs: `dispatch` runs beside it, `interrupt` stops it first, `reject` asks to wait or `/stop`.
   */
  readonly busy: "dispatch" | "interrupt" | "reject";
  run(args: string, context: CommandContext): Promise<CommandResult> | CommandResult;
}
