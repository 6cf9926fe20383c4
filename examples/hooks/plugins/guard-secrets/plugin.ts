import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

/** Talaria knows the shapes of keys and tokens by itself; these are the secrets that only you know. */
const Settings = z.object({
  /** Patterns of what is blacked out: customer numbers, internal hosts. */
  hidden: z.array(z.string()).default([]),
  /** Patterns of what stops the whole message: code names, drafts. */
  withheld: z.array(z.string()).default([]),
});

const Outbound = z.object({ data: z.object({ text: z.string() }) });

/** Keeps secrets out of what is sent to a chat. */
export const guardSecrets: Plugin = {
  name: "guard-secrets",
  register(ctx) {
    const settings = Settings.parse(ctx.config ?? {});
    const hidden = settings.hidden.map((pattern) => new RegExp(pattern, "gi"));
    const withheld = settings.withheld.map((pattern) => new RegExp(pattern, "i"));
    ctx.registerHook(
      "outbound.message",
      (event) => {
        const { text } = Outbound.parse(event).data;
        if (withheld.some((pattern) => pattern.test(text)))
          return { decision: "deny", reason: "It speaks of what must not leave." };
        const clean = hidden.reduce((left, pattern) => left.replaceAll(pattern, "[secret]"), text);
        return clean === text ? undefined : { text: clean };
      },
      { onFailure: "deny" },
    );
  },
};
