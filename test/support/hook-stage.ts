import type { Hook, HookResult } from "#src/domain/hook";
import { CLOSED_CIRCUIT, type CircuitState } from "#src/hooks/http/circuit-breaker";
import type { ListedHook } from "#src/hooks/hook-index";
import { type HookPorts, openHooks } from "#src/hooks/open-hooks";
import type { HookModule } from "#src/hooks/transports/module";
import { moduleTransport } from "#src/hooks/transports/module";
import type { HookCall, HookTransport } from "#src/hooks/transports/transport";
import { aHook, hookLog } from "./hook-fixtures";

/** What a hook on a stage is: its definition, where it stands, and what answers it. */
export interface Player {
  readonly hook?: Partial<Hook>;
  readonly status?: ListedHook["status"];
  /** What its module answers. */
  readonly says?: HookModule["onHook"];
  /** What the wire to it answers, for hooks that are not modules. */
  readonly wire?: (call: HookCall) => HookResult | Promise<HookResult>;
}

/** Hooks that are open, with a clock and timers that a test moves. */
export function hookStage(players: Readonly<Record<string, Player>>, over: Partial<HookPorts> = {}) {
  const { entries, log } = hookLog();
  const called: string[] = [];
  const calls: HookCall[] = [];
  const timers = new Map<() => void, number>();
  const circuits = new Map<string, CircuitState>();
  let now = 0;
  const modules = moduleTransport({
    bundled: (name) => {
      const says = players[name]?.says;
      return says === undefined ? undefined : { onHook: says };
    },
  });
  const transport = (type: Hook["target"]["type"]): HookTransport => ({
    type,
    call(call, target) {
      called.push(call.hook.id);
      calls.push(call);
      if (target.type === "module") return modules.call(call, target);
      return players[call.hook.id]?.wire?.(call) ?? { exit: 0, stdout: "", stderr: "", via: "http", durationMs: 0 };
    },
  });
  const listed = Object.entries(players).map(([id, { hook, status = "active" }]): ListedHook => ({
    hook: aHook({ id, name: id, target: { type: "module", module: id }, ...hook }),
    status,
  }));
  const hooks = openHooks(listed, {
    now: () => now,
    after: (ms, callback) => {
      timers.set(callback, now + ms);
      return () => void timers.delete(callback);
    },
    transportOf: transport,
    circuits: { read: (id) => circuits.get(id) ?? CLOSED_CIRCUIT, write: (id, state) => void circuits.set(id, state) },
    log,
    spill: async () => undefined,
    onRun: () => undefined,
    onGone: () => undefined,
    onTampered: () => undefined,
    validate: () => undefined,
    ...over,
  });
  return {
    hooks,
    called,
    calls,
    entries,
    codes: () => entries.map(({ code }) => code),
    pass(ms: number) {
      now += ms;
      for (const [ring, at] of timers) if (at <= now) ring();
    },
    timers,
  };
}
