import { expect, it } from "vitest";
import { createTextGate } from "#src/providers/text-gate";

const TOOLS = [{ name: "ls", description: "", parameters: { type: "object" } }];
const CALL = '<tool_call>{"name":"ls","arguments":{}}</tool_call>';

/** What is shown as it comes, character by character, and what the end makes of the rest. */
function pass(text: string, how: { isCut?: boolean; mayCall?: boolean; tools?: typeof TOOLS } = {}) {
  const gate = createTextGate(how.tools ?? TOOLS);
  let shown = "";
  for (const char of text) {
    gate.push(char);
    shown += gate.drain();
  }
  const { text: rest, calls } = gate.end({ isCut: how.isCut ?? false, mayCall: how.mayCall ?? true });
  return { shown, rest, calls: calls.map(({ name }) => name) };
}

it("shows words as they come", () => {
  expect(pass("Hello, [you] < me > `code` {x}")).toMatchObject({ shown: "Hello, [you] < me > `code` {x}", rest: "" });
});

it("keeps back a call behind words, and makes it one", () => {
  expect(pass(`Let me look.\n${CALL}`)).toEqual({ shown: "Let me look.\n", rest: "", calls: ["ls"] });
});

it("gives back what was no call after all", () => {
  const text = `The form is ${CALL.replace("ls", "name")} and so on.`;
  const { shown, rest, calls } = pass(text);
  expect(shown + rest).toBe(text);
  expect(calls).toEqual([]);
});

it.each([`\`\`\`xml\n${CALL}\n\`\`\`\nThat is how.`, `Write \`${CALL}\` to call it.`])(
  "shows an example in a fence or behind a backtick: %s",
  (text) => {
    expect(pass(text)).toEqual({ shown: text, rest: "", calls: [] });
  },
);

it("makes a call of an answer that is nothing else, fenced or not", () => {
  const json = '{"name": "ls", "arguments": {}}';
  expect(pass(json)).toEqual({ shown: "", rest: "", calls: ["ls"] });
  expect(pass(`\`\`\`json\n${json}\n\`\`\``)).toEqual({ shown: "", rest: "", calls: ["ls"] });
});

it("shows JSON that cannot be a call at once", () => {
  expect(pass('{"answer": 42, "name": "ls"}').shown).toBe('{"answer": 42, "name": "ls"}');
});

it("keeps nothing back when nothing can be called", () => {
  expect(pass(CALL, { tools: [] })).toEqual({ shown: CALL, rest: "", calls: [] });
});

it("shows half a call of an answer that was cut to nobody", () => {
  expect(pass(`So: ${CALL.slice(0, 30)}`, { isCut: true })).toEqual({ shown: "So: ", rest: "", calls: [] });
});

it("takes a quoted call for text beside real ones", () => {
  expect(pass(CALL, { mayCall: false })).toEqual({ shown: "", rest: CALL, calls: [] });
});

it("lets a text go that is too long for a call", () => {
  const gate = createTextGate(TOOLS);
  gate.push(`<tool_call>${"x".repeat(200_000)}`);
  expect(gate.drain() + gate.drain()).toHaveLength(200_011);
});
