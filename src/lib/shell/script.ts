/** One command line as a POSIX shell or bash reads it: pipelines in the order in which they are written. */
export interface Script {
  readonly pipelines: readonly Pipeline[];
}

export interface Pipeline {
  readonly commands: readonly Command[];
  /** Ends with `&`. */
  readonly isBackground: boolean;
}

export type Command = SimpleCommand | BlockCommand | FunctionCommand;

/** A program, builtin or function with its arguments; only assignments and redirections when it has no words. */
export interface SimpleCommand {
  readonly type: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** As written, without leading assignments. */
  readonly source: string;
}

/** A compound command. `words` are what a loop runs over, a case looks at, or a test compares. */
export interface BlockCommand {
  readonly type: "block";
  readonly kind: BlockKind;
  /** The variable of a loop. */
  readonly variable?: string;
  readonly words: readonly Word[];
  /** Conditions and bodies, in the order in which they are written. */
  readonly scripts: readonly Script[];
  readonly redirects: readonly Redirect[];
}

export type BlockKind =
  | "group"
  | "subshell"
  | "if"
  | "while"
  | "until"
  | "for"
  | "select"
  | "case"
  | "test"
  | "arithmetic";

export interface FunctionCommand {
  readonly type: "function";
  readonly name: string;
  readonly body: Command;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** Of an array: its elements; `value` is then empty. */
  readonly elements?: readonly Word[];
  readonly isAppended: boolean;
}

export interface Redirect {
  /** `>`, `>>`, `>|`, `>&`, `&>`, `&>>`, `<`, `<&`, `<>`, `<<`, `<<-` or `<<<`. */
  readonly operator: string;
  /** What stands before the operator: a number, or `{name}`. */
  readonly descriptor?: string;
  /** A file, a descriptor, or the words of a here-string; of a here-document its body. */
  readonly target: Word;
}

/** What becomes one field or several once it is expanded. */
export interface Word {
  readonly parts: readonly WordPart[];
  /** As written. */
  readonly source: string;
}

export type WordPart =
  | { readonly type: "text"; readonly text: string; readonly isQuoted: boolean }
  | ParameterPart
  | { readonly type: "command"; readonly script: Script; readonly isQuoted: boolean }
  | { readonly type: "process"; readonly script: Script; readonly direction: "<" | ">" }
  /** Its value is a number; what it contains may be substitutions that run. */
  | { readonly type: "arithmetic"; readonly parts: readonly WordPart[] };

export interface ParameterPart {
  readonly type: "parameter";
  readonly name: string;
  /** Of an array: `@`, `*` or a subscript as written. */
  readonly index?: string;
  /** `#` in front (length) or `!` in front (the parameter that this one names). */
  readonly prefix?: "#" | "!";
  /** Such as `:-`, `##`, `//`, `:` or `^^`. */
  readonly operator?: string;
  readonly operand: readonly WordPart[];
  readonly isQuoted: boolean;
}
