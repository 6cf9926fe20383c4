import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import type { HookDialectName } from "#src/domain/hook";
import type { HookEventName, HookSettlement } from "#src/domain/hook-event";
import { importHooks } from "#src/hooks/import-hooks";
import { openHooks } from "#src/hooks/open-hooks";
import { CLOSED_CIRCUIT } from "#src/hooks/http/circuit-breaker";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import { commandTransport } from "#src/hooks/transports/command";
import { occurrenceOf } from "../../support/hook-fixtures.ts";

const EXAMPLES = "examples/hooks";

/** Hooks of a configuration of the examples, approved, whose commands run on this machine. */
export interface OpenConfiguration {
  readonly dialects: readonly HookDialectName[];
  readonly log: readonly string[];
  fire(event: HookEventName, data: Parameters<typeof occurrenceOf>[1]): Promise<HookSettlement>;
}

export function openConfiguration(name: string): OpenConfiguration {
  const text = readFileSync(`${EXAMPLES}/config/${name}`, "utf8");
  const imported = importHooks(parse(text), { source: name, rank: "config" });
  const log = imported.log.map(({ code }) => code as string);
  const commands = commandTransport({ exec, pinOf: () => undefined });
  const hooks = openHooks(
    imported.hooks.map((hook) => ({ hook, status: "active" })),
    {
      now: () => Date.now(),
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
      // the configurations opened here hold commands alone
      transportOf: (type) => (type === "command" ? commands : undefined),
      circuits: { read: () => CLOSED_CIRCUIT, write: () => undefined },
      log: ({ code }) => void log.push(code),
      spill: async () => undefined,
      onRun: () => undefined,
      onGone: () => undefined,
      onTampered: () => undefined,
      validate: () => undefined,
    },
  );
  return {
    dialects: imported.hooks.map(({ dialect }) => dialect),
    log,
    async fire(event, data) {
      const one = occurrenceOf(event, data);
      return hooks.fire({ ...one, common: { ...one.common, cwd: resolve(EXAMPLES) } });
    },
  };
}

/** Runs a command as the sidecar does; `hooks/` of the project is the examples' folder of commands. */
async function exec(request: HookCommand): Promise<HookCommandResult> {
  const inProject = (word: string): string => word.replace("hooks/", "commands/");
  const [program = "sh", ...args] = (request.argv ?? ["sh", "-c", request.shell ?? ""]).map(inProject);
  const child = spawn(program, args, { cwd: request.cwd, env: { PATH: process.env["PATH"], ...request.env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => undefined);
  child.stdin.end(request.stdin);
  const { promise, resolve: ended } = Promise.withResolvers<HookCommandResult>();
  child.on("error", (error) => ended({ exit_code: null, stdout, stderr, error: error.message }));
  child.on("close", (code) => ended({ exit_code: code, stdout, stderr }));
  return promise;
}
