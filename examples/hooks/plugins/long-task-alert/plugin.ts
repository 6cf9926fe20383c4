import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

const Settings = z.object({
  /** Takes `{"text": ...}`, as the incoming webhooks of Slack, Mattermost and others do. */
  url: z.url(),
  /** Rounds of tools after which a task is long. */
  steps: z.int().positive().default(10),
});

const Step = z.object({
  data: z.object({ iteration: z.number(), tool_names: z.array(z.string()), session_key: z.string() }),
});

/** Sends one message for each turn that takes many steps. */
export const longTaskAlert: Plugin = {
  name: "long-task-alert",
  register(ctx) {
    const { url, steps } = Settings.parse(ctx.config);
    ctx.registerHook("turn.step", async (event) => {
      const { iteration, tool_names: tools, session_key: session } = Step.parse(event).data;
      if (iteration !== steps) return;
      const text = `${session} has taken ${steps} steps and goes on; the last one used ${tools.join(", ")}.`;
      const headers = { "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ text }) });
      await response.body?.cancel();
      // what is thrown is logged with the hook's name, and the turn goes on
      if (!response.ok) throw new Error(`the alert was answered with ${response.status}`);
    });
  },
};
