import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { typedEvents } from "../support/ask-provider";
import { chunk, events, pieces } from "../support/sse-response";
import { type ModelAsked, type ModelSays, type World, lastWords, openWorld } from "../support/world";
import { configureProfile, gate, hurry, openSession } from "./session-driver";
import { until } from "../support/until";

// Whatever goes wrong with a model: a person reads an answer, or one honest sentence.

let world: World;
let waits: readonly number[];
beforeEach(() => {
  world = openWorld();
  waits = hurry();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What the chat shows in the end after one question to a model that follows a script. */
async function ask(
  chat: number,
  say: World["say"],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const profile = `models${chat}`;
  await configureProfile(profile, settings);
  world.say = say;
  const session = openSession(world, chat, profile);
  await session.say("what is new?");
  return session.shown(1);
}

/** Says these things one after another, the last of them for ever. */
function script(...says: readonly (ModelSays | (() => ModelSays))[]): World["say"] {
  return (_asked, count) => {
    const next = says[Math.min(count, says.length) - 1] ?? {};
    return typeof next === "function" ? next() : next;
  };
}

const TWO_KEYS = { "model.name": "deepseek:deepseek-flash" };
const EMPTY: ModelSays = { usage: { prompt_tokens: 10, completion_tokens: 0 } };
const isAfterTools = (asked: ModelAsked): boolean => asked.messages.at(-1)?.role === "tool";
const resultsIn = (asked: ModelAsked | undefined): string[] =>
  (asked?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));

it("asks the models to fall back on, in order, and begins again with the first in the next turn", async () => {
  const chain = { "model.fallbacks": ["second", "third"], "agent.api_max_retries": 1 };
  const say: World["say"] = ({ model }) =>
    model === "third" ? { text: "the third answers" } : { status: model === "second" ? 404 : 500 };
  expect(await ask(81_001, say, chain)).toEqual(["the third answers"]);
  expect(world.asked.map(({ model }) => model)).toEqual(["scripted", "second", "third"]);
  world.say = script({ text: "the first is back" });
  const session = openSession(world, 81_001, "models81001");
  await session.say("again");
  expect((await session.shown(2))[1]).toBe("the first is back");
  expect(world.asked.at(-1)?.model).toBe("scripted");
});

it("says what is wrong when every model of the chain fails", async () => {
  const chain = { "model.fallbacks": ["second"], "agent.api_max_retries": 1 };
  expect(await ask(81_002, script({ status: 500 }), chain)).toEqual([
    "⚠️ I could not answer: model.test had an internal error (500).",
  ]);
});

it("passes over a fallback whose vendor has no key", async () => {
  const chain = { "model.fallbacks": ["groq:llama", "second"], "agent.api_max_retries": 1 };
  const say: World["say"] = ({ model }) => (model === "second" ? { text: "here" } : { status: 500 });
  expect(await ask(81_003, say, chain)).toEqual(["here"]);
});

it("counts the answer of a fallback under its own name", async () => {
  const settings = { "model.fallbacks": ["second"], "agent.api_max_retries": 1 };
  const say: World["say"] = ({ model }) => (model === "second" ? { text: "here" } : { status: 500 });
  await ask(81_004, say, settings);
  await openSession(world, 81_004, "models81004").wake();
  const usage = await env.PROFILES.getByName("models81004").usage();
  expect(usage.map(({ model, calls }) => ({ model, calls }))).toEqual([{ model: "second", calls: 1 }]);
});

it("takes the next key when one is refused, and leaves the refused one alone afterwards", async () => {
  const say: World["say"] = () =>
    world.keys.at(-1) === "world-first-key" ? { status: 401 } : { text: "the second key works" };
  expect(await ask(81_005, say, TWO_KEYS)).toEqual(["the second key works"]);
  expect(world.keys).toEqual(["world-first-key", "world-second-key"]);
  const session = openSession(world, 81_006, "models81005");
  await session.say("again, in another session");
  await session.shown(1);
  expect(world.keys.at(-1)).toBe("world-second-key");
});

it("keeps no key in a row, and shows none to the person, when all of them are refused", async () => {
  const [text] = await ask(
    81_007,
    script({ status: 401, error: { error: { message: "bad key world-first-key" } } }),
    TWO_KEYS,
  );
  expect(text).toMatch(/^⚠️ I could not answer: .* did not accept the API key \(401\)/);
  expect(text).not.toContain("world-");
  const kept: unknown = await env.PROFILES.getByName("models81007").snapshot();
  expect(JSON.stringify(kept)).toContain("DEEPSEEK_API_KEY__SECOND");
  expect(JSON.stringify(kept)).not.toContain("world-");
});

it("asks once more with the same key after a limit by the minute, and does not put it aside for that", async () => {
  const limited: ModelSays = { status: 429, headers: { "retry-after": "3" } };
  expect(await ask(81_008, script(limited, { text: "now" }), TWO_KEYS)).toEqual(["now"]);
  expect(world.keys).toEqual(["world-first-key", "world-first-key"]);
  expect(waits).toContain(3000);
});

it("takes the other key when a limit lasts, and waits no longer than that", async () => {
  const say: World["say"] = () =>
    world.keys.at(-1) === "world-first-key" ? { status: 429, headers: { "retry-after": "3600" } } : { text: "other" };
  expect(await ask(81_009, say, TWO_KEYS)).toEqual(["other"]);
  expect(world.keys).toEqual(["world-first-key", "world-second-key"]);
});

it("begins with the fallback while all keys rest", async () => {
  const limited: ModelSays = { status: 429, headers: { "retry-after": "3600" } };
  const settings = { ...TWO_KEYS, "model.fallbacks": ["second"] };
  const say: World["say"] = ({ model }) => (model === "second" ? { text: "in its place" } : limited);
  expect(await ask(81_025, say, settings)).toEqual(["in its place"]);
  expect(world.asked.map(({ model }) => model)).toEqual(["deepseek-flash", "deepseek-flash", "second"]);
  const session = openSession(world, 81_025, "models81025");
  await session.say("again");
  await session.shown(2);
  expect(world.asked.slice(3).map(({ model }) => model)).toEqual(["second"]);
});

it("waits as long as the provider asks for by a date", async () => {
  const at = new Date(Date.now() + 20_000).toUTCString();
  const answers = await ask(81_010, script({ status: 429, headers: { "retry-after": at } }, { text: "then" }));
  expect(answers).toEqual(["then"]);
  expect(waits.some((ms) => ms > 15_000 && ms <= 20_000)).toBe(true);
});

it("does not sit through a limit of an hour, and says so", async () => {
  expect(await ask(81_011, script({ status: 429, headers: { "retry-after": "3600" } }))).toEqual([
    "⚠️ I could not answer: model.test asks for fewer requests (429); please try again a little later.",
  ]);
  expect(world.asked).toHaveLength(1);
});

it("asks again after an empty answer", async () => {
  expect(await ask(81_012, script(EMPTY, { text: "here I am" }))).toEqual(["here I am"]);
});

it("goes on with the fallback when a model answers with nothing again and again, or says so", async () => {
  const say: World["say"] = ({ model }) => (model === "second" ? { text: "I do" } : EMPTY);
  expect(await ask(81_013, say, { "model.fallbacks": ["second"] })).toEqual(["I do"]);
  world.asked.length = 0;
  expect(await ask(81_014, script(EMPTY))).toEqual([
    "⚠️ I could not answer: The model answered with nothing, 2 times in a row. Ask me again, or choose another model with /model.",
  ]);
});

it("joins an answer that reached the output limit, and shows it growing all the while", async () => {
  const held = gate();
  const first = "This is the first part of a long answer, which ends in the middle of a ";
  const say: World["say"] = async (asked) => {
    if (lastWords(asked) === "what is new?") return { text: first, finish: "length" };
    return { text: "sentence about the moons of Mars", hold: held.opened };
  };
  const answer = ask(81_015, say);
  await until(() => expect(world.textsOf(81_015)).toEqual([`${first}sentence about the moons of Mars`]));
  held.open();
  expect(await answer).toEqual([`${first}sentence about the moons of Mars`]);
  expect(world.asked[1]?.messages.at(-2)).toMatchObject({ role: "assistant", content: first });
});

it("gives what stands of an answer whose continuation fails, and says that it was cut", async () => {
  const say: World["say"] = (asked) =>
    lastWords(asked) === "what is new?" ? { text: "The first half of it.", finish: "length" } : { status: 401 };
  const [text] = await ask(81_016, say);
  expect(text).toMatch(/^The first half of it\.\n\n\[Cut here: .*\(401\).*\]$/);
});

/** An answer of these deltas. */
const deltas = (finish: string, ...values: readonly unknown[]): ModelSays => ({
  response: pieces([events(...values.map((value) => chunk(value)), chunk({}, finish))]),
});
const callOf = (index: number, id: string | null, name: string, args: string): unknown => ({
  tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }],
});

it("never runs a call that was cut off in its arguments", async () => {
  const cut = (): ModelSays => deltas("length", callOf(0, "w1", "write_file", '{"path":"moons.txt","content":"Pho'));
  expect(await ask(81_017, script(cut, cut, { text: "I will write it in parts." }))).toEqual([
    "I will write it in parts.",
  ]);
  expect(lastWords(world.asked[1] ?? { messages: [] })).toContain("in the middle of a call of write_file");
  expect(resultsIn(world.asked[2])[0]).toMatch(/^Not run: the arguments of write_file were cut off/);
  const file = await env.SANDBOXES.getByName("models81017").readFile("/workspace/moons.txt");
  expect(file).toMatchObject({ ok: true, value: undefined });
});

it.each([
  [
    "a web page",
    () => new Response("<html><h1>502 Bad Gateway</h1></html>", { headers: { "content-type": "text/html" } }),
  ],
  ["a stream of garbage", () => pieces(["data: {this is no JSON\n\ndata: \u0000\u0001\n\n"])],
  ["an empty body", () => new Response("", { headers: { "content-type": "text/event-stream" } })],
  ["JSON that is no answer", () => Response.json({ hello: ["world"] })],
  [
    "a stream that breaks off",
    () => pieces([events(chunk({ content: "half" })).replace("data: [DONE]\n\n", "")], "break"),
  ],
  ["null in place of choices", () => pieces([`data: {"choices":null}\n\ndata: [DONE]\n\n`])],
])("asks again after %s with status 200, and ends in one sentence when nothing else comes", async (_what, response) => {
  const chat = 81_100 + _what.length;
  const bad = (): ModelSays => ({ response: response() });
  expect(await ask(chat, script(bad, { text: "at last" }))).toEqual(["at last"]);
  world.asked.length = 0;
  const [text] = await ask(chat + 50, script(bad));
  expect(text).toMatch(/^⚠️ I could not answer: .{10,120}$/);
  expect(world.asked.length).toBeLessThanOrEqual(6);
});

it("takes null for no content", async () => {
  const say = script(deltas("stop", { role: "assistant", content: null, tool_calls: null }, { content: "fine" }));
  expect(await ask(81_018, say)).toEqual(["fine"]);
});

it("tells the model that a tool does not exist, and which do", async () => {
  const say: World["say"] = (asked) =>
    isAfterTools(asked) ? { text: "I have no such tool." } : { calls: [{ name: "summon_moon", arguments: {} }] };
  expect(await ask(81_019, say)).toEqual(["I have no such tool."]);
  expect(resultsIn(world.asked[1])[0]).toMatch(/^There is no tool "summon_moon"\. The tools are: .*terminal/);
});

it.each([100, 10_000])("runs at most 64 calls of one answer, and refuses the rest of %i", async (length) => {
  const calls = Array.from({ length }, (_, n) => ({
    name: "write_file",
    arguments: { path: `moon-${n}.txt`, content: "cheese" },
  }));
  const say: World["say"] = (asked) => (isAfterTools(asked) ? { text: "too many" } : { calls });
  expect((await ask(81_300 + length, say))[0]).toMatch(/^too many\n/);
  const results = resultsIn(world.asked[1]);
  expect(results).toHaveLength(65);
  expect(results.at(-1)).toMatch(/^Not run: one answer may call at most 64 tools/);
});

it("tells calls with the same id, or none, apart", async () => {
  const todo = (id: string): string => JSON.stringify({ todos: [{ id, content: `do ${id}`, status: "pending" }] });
  const say: World["say"] = (asked) => {
    if (isAfterTools(asked)) return { text: "all three" };
    return deltas(
      "tool_calls",
      callOf(0, "same", "todo", todo("a")),
      callOf(1, "same", "todo", todo("b")),
      callOf(2, null, "todo", todo("c")),
    );
  };
  expect(await ask(81_021, say)).toEqual(["all three"]);
  const results = resultsIn(world.asked[1]);
  expect(results.map((text) => text.match(/do [abc]/)?.[0])).toEqual(["do a", "do b", "do c"]);
  const ids = world.asked[1]?.messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
  expect(new Set(ids).size).toBe(3);
});

it("tells the model that its arguments are no JSON", async () => {
  const say: World["say"] = (asked) =>
    isAfterTools(asked) ? { text: "sorry" } : deltas("tool_calls", callOf(0, "x", "read_file", "path=moons.txt ]["));
  expect(await ask(81_022, say)).toEqual(["sorry"]);
  expect(resultsIn(world.asked[1])[0]).toMatch(/not valid JSON/);
});

it("gives signed thinking back to its vendor with the results of the step", async () => {
  const bodies: { messages: { role: string; content: unknown }[] }[] = [];
  const block = (index: number, start: object, ...parts: object[]) => [
    { type: "content_block_start", index, content_block: start },
    ...parts.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const thinking = block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Let me look." },
    { type: "signature_delta", signature: "c2lnbmVk" },
  );
  const says = [
    block(
      1,
      { type: "tool_use", id: "toolu_1", name: "todo", input: {} },
      { type: "input_json_delta", partial_json: "{}" },
    ),
    block(1, { type: "text", text: "" }, { type: "text_delta", text: "Nothing is left to do." }),
  ];
  world.answer = (call, body) => {
    if (!call.startsWith("anthropic")) return undefined;
    bodies.push(body as unknown as (typeof bodies)[number]);
    const start = {
      id: "msg",
      type: "message",
      role: "assistant",
      content: [],
      usage: { input_tokens: 9, output_tokens: 1 },
    };
    const stop = { stop_reason: bodies.length === 1 ? "tool_use" : "end_turn" };
    return pieces([
      typedEvents(
        { type: "message_start", message: start },
        ...thinking,
        ...(says[bodies.length - 1] ?? []),
        { type: "message_delta", delta: stop, usage: { output_tokens: 20 } },
        { type: "message_stop" },
      ),
    ]);
  };
  expect(await ask(81_023, script({ status: 500 }), { "model.name": "anthropic:claude-sonnet-5-5" })).toEqual([
    "Nothing is left to do.",
  ]);
  expect(bodies[1]?.messages.find(({ role }) => role === "assistant")?.content).toMatchObject([
    { type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" },
    { type: "tool_use", id: "toolu_1", name: "todo", input: {} },
  ]);
});

it("gives encrypted reasoning back to its vendor with the results of the step", async () => {
  const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAA-moons" };
  const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "todo", arguments: "{}" };
  const words = {
    id: "m_1",
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "All done." }],
  };
  const answer = (...output: readonly object[]): ModelSays => ({
    response: pieces([
      typedEvents(...output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })), {
        type: "response.completed",
        response: { id: "r", status: "completed", output, usage: { input_tokens: 9, output_tokens: 3 } },
      }),
    ]),
  });
  const answers = await ask(81_024, script(answer(reasoning, call), answer(words)), { "model.api_mode": "responses" });
  expect(answers).toEqual(["All done."]);
  const { input } = world.asked[1] as unknown as { input: { type?: string; encrypted_content?: string }[] };
  expect(input.map(({ type }) => type)).toEqual([undefined, "reasoning", "function_call", "function_call_output"]);
  expect(input[1]?.encrypted_content).toBe("gAAAA-moons");
});
