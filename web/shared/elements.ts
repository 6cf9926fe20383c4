/** An attribute's value; a function listens to the event that the name after `on` says. */
type Attribute = string | undefined | ((event: Event) => void);

/** Finds an element of the page's own markup. */
export function $(id: string): HTMLElement;
/** Finds one of a certain kind. */
export function $<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind;
export function $(id: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`The page has no such #${id}.`);
}

/** Makes an element; absent attributes and children are left out. Text becomes a text node and never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}
