import { env } from "cloudflare:workers";
import { type MockInstance, afterEach, beforeEach, vi } from "vitest";
import type { Plugin } from "#src/domain/plugin";
import { environmentFor } from "../../../durable-objects/environment";
import { plugins } from "../../../plugins/registry";
import { type World, openWorld } from "../../support/world";

/** A world whose deployment has these plugins, for each test of a file. */
export function worldWith(...deployed: readonly Plugin[]): () => World {
  let world: World;
  beforeEach(() => {
    world = openWorld();
    (plugins as Plugin[]).push(...deployed);
    forget();
  });
  afterEach(() => {
    (plugins as Plugin[]).length = 0;
    forget();
    vi.restoreAllMocks();
  });
  return () => world;
}

function forget(): void {
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

/** The plugin with settings as config.yaml would give them under its name. */
export function configured(plugin: Plugin, config: unknown): Plugin {
  return { ...plugin, register: (context) => plugin.register({ ...context, config }) };
}

/** What is written to the log from now on. A deployment puts a console of its own in place, so it is opened first. */
export async function watchLog(level: "log" | "warn"): Promise<() => readonly string[]> {
  await environmentFor(env, "main");
  const spy: MockInstance<(...parts: unknown[]) => void> = vi.spyOn(console, level).mockImplementation(() => undefined);
  return () => spy.mock.calls.map((parts) => parts.map(String).join(" "));
}
