import * as z from "zod";
import { defineTool } from "./define-tool";

/** Choices that every messenger can show as buttons. */
const MAX_CHOICES = 4;

/** Asks the person and waits for the answer. */
export const clarify = defineTool({
  name: "clarify",
  toolset: "clarify",
  description:
    "Ask the person one question and wait for the answer, when a wrong guess would cost more than asking. Offer up to " +
    "4 choices when the likely answers are known; the person may always answer in their own words.",
  schema: z.object({
    question: z.string().trim().min(1).max(2000).describe("The question, complete in itself"),
    choices: z
      .array(z.string().trim().min(1).max(200))
      .max(MAX_CHOICES)
      .default([])
      .describe("Likely answers, shortest wording first; leave out for an open question"),
  }),
  effect: "safe",
  parallel: "never",
  async execute({ question, choices }) {
    return { ask: { text: question, choices: [...new Set(choices)] } };
  },
});
