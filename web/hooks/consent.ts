import { $ } from "../shared/elements";
import { act } from "./act";
import { change } from "./api";
import { look } from "./look";
import { said, shown, state } from "./state";
import type { HookDetail, HookRow } from "./wire";

/** Approves a hook exactly as it is shown. */
export async function approve({ id, name, event, target, digest }: HookDetail): Promise<void> {
  const work = async (): Promise<string> => {
    await change("POST", "/approvals", { event, target, config_sha256: digest });
    return `${name} is approved${state.list?.master.on === true ? " and runs from now on" : "; it runs once hooks are on"}.`;
  };
  const isDone = await act(`approve ${id}`, work, "waiting");
  // not to the next one's button: it wants to be read first
  if (isDone === true) $($("waiting-title").hidden ? "title" : "waiting-title").focus();
}

/** Takes the approvals of a hook back; how that went is said by the key. */
export async function revoke({ target, event, name }: HookRow, key: string): Promise<void> {
  await act(key, async () => {
    await change("DELETE", "/approvals", { target, event });
    return `The approval of ${name} is taken back.`;
  });
}

/** Shows a hook that waits as it is now. */
export function renew({ id }: HookRow): void {
  shown.delete(id);
  said.delete(`approve ${id}`);
  void look({ isWhole: true });
}
