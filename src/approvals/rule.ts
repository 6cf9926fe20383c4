import type { Call } from "./call";

/** What a rule protects; rules of one category stand together. */
export type RuleCategory =
  | "delete"
  | "disk"
  | "machine"
  | "process"
  | "permission"
  | "privilege"
  | "file"
  | "secret"
  | "remote-code"
  | "database"
  | "git"
  | "container"
  | "cloud"
  | "windows"
  | "agent"
  | "unreadable";

/** One kind of danger that a command may have. */
export interface Rule {
  /** Stable, `category.what`: what "always allow this" remembers. */
  readonly key: string;
  readonly category: RuleCategory;
  /** What the command does, as the end of "this command would ...". */
  readonly description: string;
}

/** A rule about single programs. All conditions that are given must hold. */
export interface CommandRule extends Rule {
  /** Names as {@link Call.program} has them; `*` is any. */
  readonly programs: readonly string[];
  /** What the operands begin with, one of these: words with blanks between them, `a|b` for either. */
  readonly verbs?: readonly string[];
  /** One of these options is there: `-f` also inside of `-xf`. */
  readonly flags?: readonly string[];
  /** None of these is there: what makes the command harmless. */
  readonly unless?: readonly string[];
  /** One of the operands is such. */
  readonly operand?: (operand: string, call: Call) => boolean;
  readonly when?: (call: Call) => boolean;
}

/** Options with which a program only says what it is or what it would do. */
export const HARMLESS_FLAGS: readonly string[] = ["--help", "-help", "--version", "--dry-run"];
