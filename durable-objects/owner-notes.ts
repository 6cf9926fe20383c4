import { parseSessionKey } from "#src/domain/session-key";
import type { TurnOrigin } from "#src/domain/turn";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";

/** Sessions looked at for one that is the owner's, the latest first. */
const MAX_LOOKED_AT = 100;

/** Tells the owner something in a chat of their own: the one where it happened, else the one they used last. */
export async function tellOwner(
  env: Env,
  profile: string,
  environment: Pick<Environment, "isOwner">,
  text: string,
  where?: string,
): Promise<void> {
  const isTheirs = (key: string): boolean => {
    const scope = parseSessionKey(key);
    if (scope?.chatType !== "dm") return false;
    return scope.platform === "web" || environment.isOwner(scope.platform, scope.chatId);
  };
  const rows = await env.PROFILES.getByName(profile).sessions({ limit: MAX_LOOKED_AT });
  const key = [where ?? "", ...rows.map((row) => row.key)].find(isTheirs);
  if (key !== undefined) await env.SESSIONS.getByName(key).noteToOwner(text);
  else console.warn(text);
}

/** Writes a note into the owner's own chat. The model does not read it. */
export function writeOwnerNote(core: SessionCore, text: string): void {
  const scope = parseSessionKey(core.key);
  if (scope === undefined) return;
  core.store.create();
  const { platform, account, chatId } = scope;
  const origin: TurnOrigin = {
    platform,
    ...(account === undefined ? {} : { account }),
    target: { chatId },
    user: { id: chatId, isOwner: true },
  };
  const row = core.commit(() => {
    core.keepFacts();
    const note = core.append({ role: "assistant", kind: "note", content: text }, undefined);
    if (core.isMessenger(origin)) core.deliveries.owe({ turnId: note.turnId, origin, text, isOwn: true });
    return note;
  });
  core.hub.message(row);
  core.deliveries.pump();
  core.arm();
}
