import type { Command } from "#src/domain/command";
import type { HookModule } from "#src/hooks/transports/module";
import type { Plugin, PluginHook, PluginHookOptions } from "#src/domain/plugin";
import type { AnyTool } from "#src/domain/tool";

/** A plugin's hook as it was registered; `module` names it for the dispatcher. */
export interface RegisteredHook {
  readonly plugin: string;
  readonly event: string;
  readonly module: string;
  readonly options: PluginHookOptions;
}

/** What the plugins of a deployment have brought. */
export interface LoadedPlugins {
  readonly hooks: readonly RegisteredHook[];
  readonly modules: ReadonlyMap<string, HookModule>;
  readonly tools: readonly AnyTool[];
  readonly commands: readonly Command[];
}

/**
 * Lets every plugin register, in the order of their names. One that throws is logged and left out; the others, and the
 * deployment, go on without it.
 */
export function loadPlugins(
  plugins: readonly Plugin[],
  config: Readonly<Record<string, unknown>>,
  taken: { readonly tools: ReadonlySet<string>; readonly commands: ReadonlySet<string> },
): LoadedPlugins {
  const loaded: LoadedPlugins[] = [];
  for (const plugin of plugins.toSorted((a, b) => a.name.localeCompare(b.name))) {
    try {
      loaded.push(register(plugin, config[plugin.name], taken));
    } catch (error) {
      console.error(`plugin ${plugin.name} was left out`, error);
    }
  }
  return {
    hooks: loaded.flatMap((one) => one.hooks),
    modules: new Map(loaded.flatMap((one) => [...one.modules])),
    tools: loaded.flatMap((one) => one.tools),
    commands: loaded.flatMap((one) => one.commands),
  };
}

function register(
  plugin: Plugin,
  config: unknown,
  taken: { readonly tools: ReadonlySet<string>; readonly commands: ReadonlySet<string> },
): LoadedPlugins {
  const hooks: RegisteredHook[] = [];
  const modules = new Map<string, HookModule>();
  const tools: AnyTool[] = [];
  const commands: Command[] = [];
  plugin.register({
    name: plugin.name,
    config,
    registerHook(event: string, hook: PluginHook, options: PluginHookOptions = {}) {
      const module = `plugin:${plugin.name}:${hooks.length}`;
      hooks.push({ plugin: plugin.name, event, module, options });
      // one function for whatever its dialect calls
      modules.set(module, { onHook: (given) => hook(given as Readonly<Record<string, unknown>>) });
    },
    registerTool(tool) {
      if (taken.tools.has(tool.name)) throw new TypeError(`there is a tool "${tool.name}" already`);
      tools.push({ ...tool, toolset: `plugin-${plugin.name}` });
    },
    registerCommand(command) {
      if (taken.commands.has(command.name)) throw new TypeError(`there is a command /${command.name} already`);
      commands.push(command);
    },
  });
  return { hooks, modules, tools, commands };
}
