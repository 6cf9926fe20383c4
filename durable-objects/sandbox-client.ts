import type { Workspace } from "#src/domain/tool";
import { openWorkspace } from "#src/workspace/open-workspace";

/** The workspace of a profile, over its Durable Object. */
export function openSandbox(env: Env, profile: string): Workspace {
  return openWorkspace(() => env.SANDBOXES.getByName(profile));
}
