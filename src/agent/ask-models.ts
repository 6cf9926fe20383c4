import type { ModelFailure, ModelMessage, ModelRequest, ToolSchema } from "#src/domain/provider";
import { wait } from "#src/lib/abortable";
import { type AskedOnce, type ModelOutcome, askOnce } from "./call-model";

/** A model that may be asked, the way there included. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  /** Names of the keys that may be used now, best first; one empty name for endpoints without keys. */
  keys(): readonly string[];
  /** One try with a key; never throws. */
  readonly stream: (request: ModelRequest, key: string, signal: AbortSignal) => AskedOnce;
  /** What became of a key, for whoever shares it. */
  readonly onKey: (key: string, failure: ModelFailure | undefined) => void;
}

/** What has been tried so far; opaque here, made and read by the port `next`. */
export interface Attempt {
  readonly route: number;
  readonly adapted: readonly string[];
}

/** What to do after a failure. */
export type NextStep<State extends Attempt> =
  | { readonly type: "retry"; readonly waitMs: number; readonly state: State }
  | { readonly type: "rotate_key" | "compress" | "adapt" | "fall_back"; readonly state: State }
  | { readonly type: "give_up" };

export interface AskPorts<State extends Attempt> {
  /** The chosen model, then those to fall back on. */
  readonly routes: readonly ModelRoute[];
  readonly first: State;
  readonly next: (state: State, failure: ModelFailure, keysLeft: number) => NextStep<State>;
  /** A shorter history; undefined when nothing can be cut. */
  readonly compress: () => Promise<readonly ModelMessage[] | undefined>;
  readonly onText: (text: string) => void;
  /** Told of every failed try. */
  readonly onFailure?: (failure: ModelFailure, attempt: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** An outcome with whose it is. */
export type Asked = ModelOutcome & { readonly route: ModelRoute };

/**
 * Asks until somebody answers: the same model again, with another key, with a changed or a shorter request, or the next
 * model, whatever the failure calls for.
 *
 * @throws the signal's reason, when the turn was stopped or redirected
 */
export async function askModels<State extends Attempt>(
  request: Omit<ModelRequest, "model">,
  ports: AskPorts<State>,
): Promise<Asked> {
  let { first: state } = ports;
  let { messages } = request;
  let tried: string[] = [];
  let keys: readonly string[] = [];
  let taken: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const route = ports.routes[state.route];
    if (route === undefined) throw new RangeError(`no route ${state.route}`);
    if (taken === undefined) keys = route.keys();
    const key = taken ?? keys.find((name) => !tried.includes(name)) ?? tried.at(-1) ?? "";
    const adapted = adapt({ ...request, messages, model: route.model }, state.adapted);
    const outcome = await askOnce((asked, signal) => route.stream(asked, key, signal), adapted, ports);
    ports.signal.throwIfAborted();
    const failure = outcome.type === "failed" ? outcome.failure : undefined;
    if (outcome.type === "answer" || failure === undefined) {
      route.onKey(key, undefined);
      return { ...outcome, route };
    }
    await ports.onFailure?.(failure, attempt);
    const left = keys.filter((name) => name !== key && !tried.includes(name)).length;
    const step = ports.next(state, failure, left);
    // a key that is asked once more has not failed yet
    taken = step.type === "rotate_key" || step.type === "fall_back" ? undefined : key;
    if (step.type !== "retry") route.onKey(key, failure);
    if (step.type === "give_up") return { type: "failed", failure, route };
    ports.onText("");
    if (step.type === "retry") await wait(step.waitMs, ports.signal);
    if (step.type === "rotate_key") tried.push(key);
    if (step.type === "fall_back") tried = [];
    if (step.type === "compress") {
      const shorter = await ports.compress();
      if (shorter === undefined) return { type: "failed", failure, route };
      messages = shorter;
    }
    ({ state } = step);
  }
}

/** The request with what failed before left out of it. */
function adapt(request: ModelRequest, adapted: readonly string[]): ModelRequest {
  let { messages, tools } = request;
  if (adapted.includes("drop_state")) messages = messages.map(withoutState);
  if (adapted.includes("shrink_images")) messages = messages.map(withoutImages);
  if (adapted.includes("plain_schemas")) tools = tools.map(plainSchema);
  return { ...request, messages, tools };
}

function withoutState(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant") return message;
  const { state: _state, ...rest } = message;
  return rest;
}

function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "image" ? ({ type: "text", text: "[A picture that the model could not take.]" } as const) : part,
  );
  return { ...message, content };
}

/** Keywords of JSON Schema that some servers cannot turn into a grammar. */
const ORNAMENTS: ReadonlySet<string> = new Set(["pattern", "format"]);

function plainSchema(tool: ToolSchema): ToolSchema {
  return {
    name: tool.name,
    description: tool.description,
    parameters: plain(tool.parameters) as typeof tool.parameters,
  };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !(ORNAMENTS.has(key) && typeof inner === "string"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, plain(inner)]));
}
