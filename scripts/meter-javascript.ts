import { parseAst } from "vitest/node";

/**
 * What metered code counts with. `left` is how much computation is still allowed, about 30 ns a unit; when it falls
 * below zero the code throws wherever it is. Starts without a limit.
 */
const METER = `
var $meter = Number.MAX_SAFE_INTEGER;
function $spent() { throw new Error("computed for too long"); }
function $scan(value) { if (value != null && value.length > 64) $meter -= value.length >> 6; return value; }
function $copy(value) { if (value != null && value.length > 2) $meter -= value.length >> 1; return value; }
export const meter = { get left() { return $meter; }, set left(units) { $meter = units; } };
`;

const TICK = "--$meter<0&&$spent()";

const LOOPS = new Set(["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Built-in methods that walk the whole text or array they are called on, where no tick is heard. */
const WALKS_RECEIVER = new Set(
  (
    "split replace replaceAll match matchAll search indexOf lastIndexOf includes startsWith endsWith toUpperCase " +
    "toLowerCase trim trimStart trimEnd normalize localeCompare concat join slice substring subarray fill"
  ).split(" "),
);
/** Those that walk their first argument. */
const WALKS_ARGUMENT = new Set("encode decode from test exec stringify parse set".split(" "));
/** Those whose result may be much longer than what they were called on. */
const GROWS = new Set("join repeat replace replaceAll concat padStart padEnd decode".split(" "));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
  readonly closes: boolean;
}

/**
 * Makes a module count its own computation: every loop round, every call and every built-in that walks a long text
 * takes from `meter`, which the module then exports. Without this nothing can end a computation that never waits: no
 * timer fires beside it, and on Workers no clock moves.
 */
export function meterJavaScript(source: string): string {
  const insertions: Insertion[] = [];
  visit(parseAst(source) as unknown as Node, false, insertions);
  return METER + splice(source, insertions);
}

function visit(node: Node, inOptionalChain: boolean, into: Insertion[]): void {
  if (LOOPS.has(node.type)) meterBody(node["body"] as Node, into);
  if (FUNCTIONS.has(node.type)) meterFunction(node["body"] as Node | null, into);
  if (node.type === "SpreadElement") wrap(node["argument"] as Node, "$copy(", ")", into);
  // inside `a?.b.c()` a wrapper would cut the chain in two, and what was skipped would be called
  if (node.type === "CallExpression" && !inOptionalChain) meterCall(node, into);
  const chained = node.type === "ChainExpression";
  for (const [field, value] of Object.entries(node)) {
    const spine = field === "callee" || field === "object" || field === "expression";
    for (const child of childrenOf(value)) visit(child, chained || (inOptionalChain && spine), into);
  }
}

function childrenOf(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.filter(isNode);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function meterBody(body: Node, into: Insertion[]): void {
  if (body.type === "BlockStatement") into.push({ at: body.start + 1, text: `${TICK};`, closes: false });
  else wrap(body, `{${TICK};`, "}", into);
}

function meterFunction(body: Node | null, into: Insertion[]): void {
  if (body === null) return;
  if (body.type === "BlockStatement") meterBody(body, into);
  else wrap(body, `(${TICK},`, ")", into);
}

function meterCall(call: Node, into: Insertion[]): void {
  const callee = call["callee"] as Node;
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return;
  const receiver = callee["object"] as Node;
  const name = (callee["property"] as { name?: string }).name ?? "";
  const [argument] = call["arguments"] as readonly Node[];
  if (GROWS.has(name)) wrap(call, "$scan(", ")", into);
  if (WALKS_RECEIVER.has(name) && receiver.type !== "Super") wrap(receiver, "$scan(", ")", into);
  if (WALKS_ARGUMENT.has(name) && argument !== undefined && argument.type !== "SpreadElement")
    wrap(argument, "$scan(", ")", into);
}

function wrap(node: Node, open: string, close: string, into: Insertion[]): void {
  into.push({ at: node.start, text: open, closes: false }, { at: node.end, text: close, closes: true });
}

/** Where several meet: what ends there closes first, inner before outer; then what begins, outer before inner. */
function splice(source: string, insertions: readonly Insertion[]): string {
  const inOrder = insertions
    .map((insertion, found) => ({ ...insertion, found }))
    .sort(
      (a, b) =>
        a.at - b.at || Number(b.closes) - Number(a.closes) || (a.closes ? b.found - a.found : a.found - b.found),
    );
  const pieces: string[] = [];
  let from = 0;
  for (const { at, text } of inOrder) {
    pieces.push(source.slice(from, at), text);
    from = at;
  }
  return pieces.join("") + source.slice(from);
}
