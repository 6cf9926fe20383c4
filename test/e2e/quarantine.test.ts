import { expect, it } from "vitest";
import { type OwnDeployment, startOwnDeployment } from "../support/own-deployment.ts";
import { until } from "./start-fixture.ts";

/** A plugin that never gives the processor back when it hears the words: nothing inside the runtime can end it. */
const LOOPING = `
export const plugin = {
  name: "looping",
  register(ctx) {
    ctx.registerHook("pre_llm_call", (event) => {
      if (!String(event["user_message"]).includes("loop for ever")) return { context: "calm" };
      for (let i = 0; ; i++) if (i < 0) return undefined;
    });
  },
};
`;

const SESSION = encodeURIComponent("main:web:dm:quarantine");

async function ask(system: OwnDeployment, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${system.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${system.token}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.text();
}

it("brings the system back from a plugin that loops for ever, names it, and stops calling it", async () => {
  const system = await startOwnDeployment(LOOPING);
  try {
    const messages = `/api/sessions/${SESSION}/messages`;
    let shown = "";
    /** What the agent has answered so far: neither commands' replies nor notes. */
    const answers = async (): Promise<readonly object[]> => {
      shown = await ask(system, "GET", messages).catch(() => '{"messages":[]}');
      const { messages: rows } = JSON.parse(shown) as { messages: { role: string; kind: string }[] };
      return rows.filter(({ role, kind }) => role === "assistant" && kind === "chat");
    };
    await ask(system, "POST", messages, { text: "please loop for ever" }).catch(() => "");
    // three deaths: the first is the turn's, two more name the module
    await until(
      120_000,
      async () => (await answers()).length > 0,
      () => `${system.output()}\n${shown}`,
    );
    const output = system.output();
    expect(output.match(/did not answer \/health for 10 s/g)?.length).toBeGreaterThanOrEqual(3);
    expect(output).toContain("the process died while the module plugin:looping:0 was running (1 in a row)");
    expect(output).toContain("the process died while the module plugin:looping:0 was running (2 in a row)");
    const { hooks } = JSON.parse(await ask(system, "GET", "/api/hooks")) as {
      hooks: { id: string; status: string; flags: { code?: string }[] }[];
    };
    expect(hooks).toMatchObject([{ status: "disabled", flags: [{ code: "hook.quarantined" }] }]);
    expect(await ask(system, "GET", "/api/hooks/audit")).toContain('"action":"quarantine"');
    expect(shown).toContain("was running when I died, twice in a row");
    await ask(system, "POST", messages, { text: `/hooks enable ${hooks[0]?.id}` });
    await until(
      60_000,
      async () => (await ask(system, "GET", "/api/hooks")).includes('"status":"active"'),
      () => system.output(),
    );
    await ask(system, "POST", messages, { text: "be calm" });
    await until(
      60_000,
      async () => (await answers()).length > 1,
      () => `${system.output()}\n${shown}`,
    );
  } finally {
    await system.stop();
  }
}, 240_000);
