// Has the agent work through BOOT.md whenever its gateway starts. Environment: HOOK_SECRET, TALARIA_URL, TALARIA_TOKEN
// (API_SERVER_KEY, or ADMIN_TOKEN where that is not set), and PORT.
import { readFile } from "node:fs/promises";
import { createReceiver, listen } from "./receive.mjs";

const { HOOK_SECRET, TALARIA_URL, TALARIA_TOKEN, PORT = "8789" } = process.env;
if (!HOOK_SECRET || !TALARIA_URL || !TALARIA_TOKEN) throw new Error("set HOOK_SECRET, TALARIA_URL and TALARIA_TOKEN");

const receiver = createReceiver({
  secret: HOOK_SECRET,
  decide({ type, data }, { headers }) {
    // the turn may take minutes: the event is acknowledged first, and it is the turn that tells how it went
    if (type === "gateway.startup") void workThrough(data.event_id, headers);
  },
});
listen(receiver, Number(PORT));

async function workThrough(eventId, headers) {
  const checklist = await readFile(new URL("BOOT.md", import.meta.url), "utf8");
  const response = await fetch(`${TALARIA_URL}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TALARIA_TOKEN}`,
      "content-type": "application/json",
      "x-session-id": "boot",
      // the same start is worked through once, however often it is told
      "idempotency-key": eventId,
      // whoever calls back says on whose behalf: so no hook can set itself off for ever
      "x-agent-hook-depth": headers["x-agent-hook-depth"],
      "x-agent-hook-hook-id": headers["x-agent-hook-hook-id"],
    },
    body: JSON.stringify({ model: "talaria", messages: [{ role: "user", content: checklist }] }),
  });
  const answer = await response.json();
  const text = answer.choices?.[0]?.message?.content ?? `failed with ${response.status}`;
  if (text.trim() !== "[SILENT]") console.log(text);
}
