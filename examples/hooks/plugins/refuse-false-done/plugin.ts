import * as z from "zod";
import type { Plugin } from "#src/domain/plugin";

const Claim = z.object({ data: z.object({ response: z.string(), tool_names: z.array(z.string()) }) });

/** What an answer says that can only be true if a command was run. */
const TESTED =
  /\b(?:all )?(?:tests?|checks?|the build|lint(?:er|ing)?) (?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are) green)\b/i;

/** Does not let the agent say that tests pass when it ran nothing in this turn. */
export const refuseFalseDone: Plugin = {
  name: "refuse-false-done",
  register(ctx) {
    ctx.registerHook("completion.claim", (event) => {
      const { response, tool_names: tools } = Claim.parse(event).data;
      if (!TESTED.test(response) || tools.includes("terminal")) return undefined;
      const message = "You say that something passes, but you ran no command. Run it now, or say that you did not.";
      return { keepGoing: { message } };
    });
  },
};
