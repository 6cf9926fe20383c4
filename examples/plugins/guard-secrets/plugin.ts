import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

/** Keys that are told by their form. A key that looks like any other text cannot be found this way. */
const SECRETS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/g,
  /\bxox[abpr]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
];
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

const Outbound = z.object({ data: z.object({ text: z.string() }) });

/** Keeps secrets out of what is sent to a chat: keys are blacked out, and a private key stops the whole message. */
export const guardSecrets: Plugin = {
  name: "guard-secrets",
  register(ctx) {
    ctx.registerHook(
      "outbound.message",
      (event) => {
        const { text } = Outbound.parse(event).data;
        if (PRIVATE_KEY.test(text)) return { decision: "deny", reason: "It holds a private key." };
        const clean = SECRETS.reduce((left, pattern) => left.replaceAll(pattern, "[secret]"), text);
        return clean === text ? undefined : { text: clean };
      },
      { onFailure: "deny" },
    );
  },
};
