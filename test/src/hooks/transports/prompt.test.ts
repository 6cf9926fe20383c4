import { expect, it } from "vitest";
import { promptTransport } from "#src/hooks/transports/prompt";
import { aCall } from "../../../support/hook-call";

async function ask(prompt: string, answer = "{}") {
  const asked: string[] = [];
  const transport = promptTransport({
    askModel: async (question) => {
      asked.push(question);
      return answer;
    },
  });
  const result = await transport.call(aCall({ payload: { tool_name: "Bash" } }), { type: "prompt", prompt });
  return { result, question: asked[0] ?? "" };
}

it("puts the event where the prompt wants it, or at its end", async () => {
  expect((await ask("Is $ARGUMENTS safe?")).question).toMatch(/^Is \{"tool_name":"Bash"\} safe\?\n\n/);
  expect((await ask("Is it safe?")).question).toMatch(/^Is it safe\?\n\n\{"tool_name":"Bash"\}\n\n/);
});

it("asks for one JSON object", async () => {
  expect((await ask("?")).question).toContain('{"ok": false, "reason": "..."}');
});

it.each([
  ['{"ok": true}', ""],
  ['```json\n{"ok": true}\n```', ""],
  ['{"decision": "ask"}', '{"decision": "ask"}'],
  ["Sure!", "Sure!"],
])("takes the answer %j out of what a model likes to wrap it in", async (answer, stdout) => {
  expect((await ask("?", answer)).result).toMatchObject({ exit: 0, via: "prompt", stdout });
});

it("says a refusal in the words of the hook's own system", async () => {
  const { result } = await ask("?", '  ```\n{"ok": false, "reason": "no"}\n```\n');
  expect(JSON.parse(result.stdout)).toMatchObject({ decision: "deny", reason: "no" });
});
