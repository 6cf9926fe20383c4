import { GatewayError } from "#src/domain/errors";
import type { Workspace } from "#src/domain/tool";
import type { CommandPorts } from "#src/hooks/transports/command";
import { abortable } from "#src/lib/abortable";
import { type SandboxStub, openWorkspace } from "#src/workspace/open-workspace";

/** The workspace of a profile, over its Durable Object. */
export function openSandbox(env: Env, profile: string): Workspace {
  return openWorkspace(() => env.SANDBOXES.getByName(profile));
}

/** Runs hooks that are commands among a profile's files, where commands run in a real shell. */
export function openHookCommands(env: Env, profile: string): CommandPorts["exec"] {
  return async (request, signal) => {
    signal.throwIfAborted();
    const sandbox: Pick<SandboxStub, "runHook" | "cancel"> = env.SANDBOXES.getByName(profile);
    const key = crypto.randomUUID();
    // an abort signal does not cross RPC
    const cancel = (): void => void sandbox.cancel(key).catch(() => undefined);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await abortable(sandbox.runHook(request, key), signal);
      if (!answer.ok) throw new GatewayError(answer.code, answer.message);
      return answer.value;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
