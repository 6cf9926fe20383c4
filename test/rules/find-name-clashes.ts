/** Kebab or snake: what a route, a session key, a file and a model's tool call can all hold. */
const WIRE_NAME = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;

/** Names that stand in a list more than once, each once. */
export function findRepeats(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** Names that would not survive a route, a key or a file. */
export function findBadNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !WIRE_NAME.test(name));
}
