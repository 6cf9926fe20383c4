// The Worker with three plugins, each with a hook on every event of turns and tools: what hooks cost a turn.
import type { Plugin } from "#src/domain/plugin";
import { plugins } from "../../plugins/registry";

const EVENTS = [
  "turn.start",
  "turn.context",
  "turn.step",
  "turn.complete",
  "turn.end",
  "tool.pre",
  "tool.post",
  "tool.failure",
  "tool.result",
  "tool.batch",
];

// the registry is a constant of the deployment: this entry point is another deployment
const deployed = plugins as Plugin[];
for (const name of ["first", "second", "third"]) {
  deployed.push({
    name,
    register(ctx) {
      for (const event of EVENTS) ctx.registerHook(event, () => undefined);
    },
  });
}

export * from "../../workers/gateway";
export { default } from "../../workers/gateway";
