import type { Command } from "#src/domain/command";

/** `/start`: what Telegram sends when a person opens the chat for the first time. */
export const start: Command = {
  name: "start",
  summary: "Say hello.",
  busy: "dispatch",
  run() {
    return { reply: "👋 Hello! Just write to me. /help lists what else I understand." };
  },
};
