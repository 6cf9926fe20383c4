import type { Config } from "./config.ts";
import type { Command } from "./confine.ts";
import type { Fields } from "./fields.ts";
import type { Host } from "./host.ts";
import type { Paths } from "./paths.ts";
import { Problem } from "./problem.ts";
import type { ScriptFound, Scripts } from "./scripts.ts";
import type { Session } from "./sessions.ts";

/** A command that a body describes, ready to be started. */
export interface CommandRequest {
  readonly command: Command;
  /** For people. */
  readonly label: string;
  readonly script: ScriptFound | undefined;
}

/** Reads what exec, background processes and terminals have in common. */
export type ReadCommand = (fields: Fields, session: Session, otherwise?: readonly string[]) => CommandRequest;

const MAX_ARGS = 4096;
const MAX_LABEL_CHARS = 200;
const SHA256 = /^[0-9a-f]{64}$/;

/** Name of the variable that tells a command where the verified copy of its script is. */
const SCRIPT_VARIABLE = "SCRIPT_PATH";

/**
 * Reads `argv` or `shell`, `script`, `env`, `cwd` and `network`.
 *
 * @throws {@link Problem} field_invalid, script_not_found, path_outside, file_not_found
 */
export function createReadCommand(config: Config, host: Host, paths: Paths, scripts: Scripts): ReadCommand {
  return (fields, session, otherwise) => {
    const argv = fields.textList("argv", { maxItems: MAX_ARGS });
    const shell = fields.optionalText("shell");
    const shellName = fields.choice("shell_name", ["bash", "sh"]);
    const env = fields.textMap("env");
    const cwd = fields.optionalText("cwd");
    const network = fields.choice("network", ["default", "host", "none"]);
    const wanted = fields.optionalObject("script", (script) => ({
      path: script.optionalText("path", { maxChars: 1024 }),
      sha256: readHash(script),
    }));
    if (argv !== undefined && shell !== undefined) throw fields.refuse("shell", "cannot stand beside argv");
    if (argv !== undefined && (argv[0] ?? "") === "") throw fields.refuse("argv", "must name a program");
    if (network === "host" && config.network === "none") throw fields.refuse("network", "is cut off by the operator");
    const script = wanted === undefined ? undefined : scripts.find(wanted);
    const line = lineOf() ?? otherwise;
    if (line === undefined) throw fields.refuse("argv", "or shell or script is missing");
    return {
      command: {
        argv: line,
        env: script === undefined ? env : new Map([...env, [SCRIPT_VARIABLE, script.copy]]),
        cwd: cwd === undefined ? session.work : paths.folder(session, cwd),
        network: network === "default" ? config.network : network,
      },
      label: (shell ?? (argv ?? line).join(" ")).slice(0, MAX_LABEL_CHARS),
      script,
    };

    function lineOf(): readonly string[] | undefined {
      if (shell !== undefined) return [...shellProgram(), "-c", shell];
      if (script === undefined) return argv;
      if (argv === undefined) return [script.copy];
      if (wanted?.path === undefined || !argv.includes(wanted.path))
        throw fields.refuse("argv", "must name the script by script.path");
      return argv.map((word) => (word === wanted.path ? script.copy : word));
    }

    function shellProgram(): readonly string[] {
      const { bash, sh = "/bin/sh" } = host.programs;
      return shellName === "bash" && bash !== undefined ? [bash, "--norc"] : [sh];
    }
  };
}

function readHash(script: Fields): string {
  const sha256 = script.text("sha256").toLowerCase();
  if (!SHA256.test(sha256))
    throw new Problem("field_invalid", "script.sha256 must be 64 hexadecimal digits.", { field: "script.sha256" });
  return sha256;
}
