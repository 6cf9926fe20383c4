import type { Command } from "./command";
import type { HookFailurePolicy } from "./hook";
import type { JsonValue } from "./json";
import type { AnyTool } from "./tool";

/** How a plugin's hook stands beside others. */
export interface PluginHookOptions {
  /** As the dialect of the event's name reads it: a pattern for Hermes' names, an object for ours. */
  readonly matcher?: JsonValue;
  /** Higher is heard first among plugins; default 0. */
  readonly priority?: number;
  /** Default: the dialect's. */
  readonly timeoutSeconds?: number;
  /** Default `allow`. */
  readonly onFailure?: HookFailurePolicy;
}

/**
 * A plugin's hook. It is handed what its dialect hands over: for Hermes' names one object of keyword arguments, for ours
 * the event as docs/hooks/events.md has it. What it returns is read the same way.
 */
export type PluginHook = (event: Readonly<Record<string, unknown>>) => unknown;

/** What a plugin may do while it registers. */
export interface PluginContext {
  readonly name: string;
  /** Its own part of config.yaml, `plugins.<name>`, unread: the plugin knows its shape. */
  readonly config: unknown;
  /** `event`: one of ours (`tool.pre`) or one of Hermes' (`pre_tool_call`). */
  registerHook(event: string, hook: PluginHook, options?: PluginHookOptions): void;
  registerTool(tool: AnyTool): void;
  registerCommand(command: Command): void;
}

/** Code that was deployed with the Worker to add to it. A new one is a folder in `plugins/` and one registry line. */
export interface Plugin {
  readonly name: string;
  register(context: PluginContext): void;
}
