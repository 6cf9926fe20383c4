// Refuses `rm -rf`: HOOK_SECRET=whsec_... PORT=8788 node examples/hooks/receivers/node/block-rm.mjs
import { createReceiver, listen } from "./receive.mjs";

const { HOOK_SECRET, PORT = "8788" } = process.env;
if (!HOOK_SECRET) throw new Error("set HOOK_SECRET to the hook's signing secret");

const receiver = createReceiver({
  secret: HOOK_SECRET,
  decide({ type, data }) {
    console.log(type, data.tool?.name ?? "", JSON.stringify(data.input ?? {}));
    const isForced = type === "tool.pre" && /\brm\s+(?:-\S+\s+)*-(?:\w*r\w*f|\w*f\w*r)/i.test(data.input.command ?? "");
    return isForced ? { decision: "deny", reason: "rm -rf is not allowed here." } : undefined;
  },
});
listen(receiver, Number(PORT));
