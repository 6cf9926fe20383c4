import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import { HOME, isWithin, joinPath } from "../workspace-path";
import { sendFiles } from "./remote-files";
import type { RemoteShellPorts } from "./remote-shell";
import { SidecarError } from "./sidecar-error";
import type { SidecarCommand } from "./sidecar-exec";
import { isAboutRequest } from "./sync-ports";

/**
 * Runs a hook's command among the workspace's files, without network where the machine can do without. It is ended when
 * the signal fires. What is wrong with the command itself is a result.
 *
 * @throws SidecarError when the sidecar cannot be reached
 */
export async function runHookCommand(
  ports: RemoteShellPorts,
  request: HookCommand,
  signal: AbortSignal,
): Promise<HookCommandResult> {
  const { store, client } = ports;
  const root = await ports.inTurn(async () => {
    const { state } = await sendFiles(ports);
    // a hook may write files: the next look fetches them
    const current = store.state();
    if (current?.isQuiet === true) store.setState({ ...current, isQuiet: false });
    return state.root;
  });
  const { canCutNetwork } = await client.health();
  const command: SidecarCommand = {
    ...request,
    ...(request.shell === undefined ? {} : { shell_name: "sh" }),
    ...(request.cwd === undefined ? {} : { cwd: there(request.cwd, root) }),
    env: Object.fromEntries(Object.entries(request.env).map(([name, value]) => [name, there(value, root)])),
    network: canCutNetwork ? "none" : "default",
  };
  const end = ports.begin();
  try {
    const result = await client.exec(command, { signal });
    return {
      exit_code: result.exitCode,
      stdout: result.stdout,
      stderr: result.stderr,
      duration_ms: result.durationMs,
      ...(result.isTimedOut ? { timed_out: true } : {}),
      ...(result.error === undefined ? {} : { error: result.error }),
      ...(result.scriptSha256 === undefined ? {} : { script_sha256: result.scriptSha256 }),
    };
  } catch (error) {
    const isAbout = error instanceof SidecarError && isAboutRequest(error);
    if (!isAbout) throw error;
    return { exit_code: null, stdout: "", stderr: "", error: error.message };
  } finally {
    end();
  }
}

/** A path of the workspace as the sidecar has it; everything else as it is. */
function there(value: string, root: string): string {
  if (!value.startsWith(HOME)) return value;
  const path = joinPath("/", value);
  return isWithin(HOME, path) ? root + path.slice(HOME.length) : value;
}
