import type { Command } from "#src/domain/command";

/** `/yolo [on|off]`: runs dangerous commands of this conversation without asking. */
export const yolo: Command = {
  name: "yolo",
  summary: "Run dangerous commands of this conversation without asking. What must never run still does not.",
  usage: "[on|off]",
  ownerOnly: true,
  busy: "dispatch",
  run(args, { session }) {
    const word = args.trim().toLowerCase();
    if (word !== "" && word !== "on" && word !== "off") return { reply: "Use `/yolo`, `/yolo on` or `/yolo off`." };
    const isOn = word === "" ? session.isYolo !== true : word === "on";
    return {
      reply: isOn
        ? "⚡ I will not ask any more in this conversation. `/yolo off` brings the questions back."
        : "I will ask before dangerous commands again.",
      effects: [{ type: "set_yolo", isOn }],
    };
  },
};
