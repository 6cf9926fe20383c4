import type { Command } from "#src/domain/command";
import { quoted } from "./markdown";

/** What a code can look like: eight letters and digits, however they are grouped. */
const CODE = /^(?:[a-z0-9][\s-]*){8}$/i;

/** `/pairing approve CODE`: lets the person in who was given the code. */
export const pairing: Command = {
  name: "pairing",
  summary: "Let a person in who was given a pairing code.",
  usage: "approve CODE",
  ownerOnly: true,
  busy: "dispatch",
  async run(args, { profilePort }) {
    const [, verb = "", code = ""] = /^(\S+)\s*([\s\S]*)$/.exec(args) ?? [];
    if (verb.toLowerCase() !== "approve")
      return { reply: "Say `/pairing approve CODE`, with the code that the person was given." };
    if (!CODE.test(code)) return { reply: "A pairing code has eight letters and digits: `/pairing approve ABCD2345`." };
    const approved = await profilePort.approvePairing(code);
    if (approved === undefined) {
      return {
        reply:
          "I do not know that code here. It may be mistyped, used, older than an hour, or of another platform; after five wrong ones I take none for an hour.",
      };
    }
    return { reply: `✅ ${quoted(`${approved.platform}:${approved.userId}`)} may talk to me now.` };
  },
};
