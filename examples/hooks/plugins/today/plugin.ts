import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { Plugin } from "#src/domain/plugin";

const Settings = z.object({
  time_zone: z.string().default("UTC"),
  /** Lines that are true today: who is on call, what is frozen. */
  notes: z.array(z.string()).default([]),
});

const Arguments = z.object({ time_zone: z.string().describe("IANA name, such as Europe/Berlin") });

/** Tells the model what day it is with every message, and gives it a tool for the time elsewhere. */
export const today: Plugin = {
  name: "today",
  register(ctx) {
    const { time_zone: timeZone, notes } = Settings.parse(ctx.config ?? {});
    writeDate(0, timeZone); // an unknown zone is found out now, and not at the first message

    ctx.registerHook("turn.context", () => ({
      context: [`Today is ${writeDate(Date.now(), timeZone)} (${timeZone}).`, ...notes].join("\n"),
    }));

    ctx.registerTool({
      name: "time_in",
      toolset: "today",
      description: "Tell the date and time in a time zone.",
      parameters: z.toJSONSchema(Arguments),
      parse(input) {
        const read = Arguments.safeParse(input);
        if (read.success) return read.data;
        throw new GatewayError("bad_request", "time_in: time_zone must be the name of a time zone.");
      },
      effect: "safe",
      parallel: "always",
      async execute({ time_zone: zone }: z.output<typeof Arguments>, { now }) {
        try {
          return { content: writeDate(now(), zone) };
        } catch {
          return { content: `There is no time zone "${zone}".`, isError: true };
        }
      },
    });
  },
};

/** @throws RangeError for a time zone that does not exist */
function writeDate(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(at);
}
