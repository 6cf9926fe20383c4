// All tests share one runtime: what a test leaves to be done would be done in the world of a later one.
import { env } from "cloudflare:workers";
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll } from "vitest";

const ofOtherFiles = new Set<string>();

beforeAll(async () => {
  for (const id of await listDurableObjectIds(env.SESSIONS)) ofOtherFiles.add(id.toString());
});

afterEach(async () => {
  for (const id of await listDurableObjectIds(env.SESSIONS)) if (!ofOtherFiles.has(id.toString())) await rest(id);
});

/** Forgets the turns of a conversation, ends the one that runs, and lets no alarm begin anything anew. */
async function rest(id: DurableObjectId): Promise<void> {
  await runInDurableObject(env.SESSIONS.get(id), async (_session, state) => {
    await state.storage.deleteAlarm();
    const [table] = state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'turns'").toArray();
    if (table === undefined || state.storage.sql.exec("DELETE FROM turns").rowsWritten === 0) return;
    await state.storage.sync();
    state.abort("the test is over");
  }).catch(() => undefined);
}
