import { $, el } from "../shared/elements";

/** A part of a list. */
interface ShownPart {
  /** Tells it from the others of its list. */
  readonly key: string;
  /** All that it is drawn from: as long as that is the same, so is the element. */
  readonly from: unknown;
  readonly make: () => HTMLElement;
}

interface Drawn {
  readonly sign: string;
  readonly node: HTMLElement;
}

/** How a list of rows is drawn. */
interface RowsOf<Row> {
  readonly keyOf: (row: Row) => string;
  readonly make: (row: Row) => HTMLElement;
  /** What stands there when there is none. */
  readonly nothing: string;
  /** What else a row is drawn from. */
  readonly fresh?: (row: Row) => unknown;
}

const drawnIn = new WeakMap<Element, ReadonlyMap<string, Drawn>>();

/** Shows parts by key: what is as it was keeps its element, and the focus stays where it is. */
export function show(parent: Element, parts: readonly ShownPart[]): void {
  const focused = parent.contains(document.activeElement) ? document.activeElement?.getAttribute("data-act") : null;
  const before = drawnIn.get(parent);
  const drawn = new Map<string, Drawn>();
  for (const { key, from, make } of parts) {
    const sign = JSON.stringify(from);
    const known = before?.get(key);
    drawn.set(key, known?.sign === sign ? known : { sign, node: make() });
  }
  drawnIn.set(parent, drawn);
  arrange(
    parent,
    Array.from(drawn.values(), ({ node }) => node),
  );
  if (focused === null || focused === undefined || parent.contains(document.activeElement)) return;
  parent.querySelector<HTMLElement>(`[data-act="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

/** Shows a list of rows; nothing as long as it is not known. */
export function showRows<Row>(
  id: string,
  list: readonly Row[] | undefined,
  { keyOf, make, nothing, fresh = () => undefined }: RowsOf<Row>,
): void {
  const parts = (list ?? []).map((row) => ({ key: keyOf(row), from: [row, fresh(row)], make: () => make(row) }));
  const empty = { key: "", from: nothing, make: () => el("li", { class: "muted" }, nothing) };
  show($(id), list?.length === 0 ? [empty] : parts);
}

/** Puts these elements there and no others, without moving what is at its place. */
function arrange(parent: Element, nodes: readonly Element[]): void {
  for (const node of Array.from(parent.children)) if (!nodes.includes(node)) node.remove();
  for (const [i, node] of nodes.entries())
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
}
