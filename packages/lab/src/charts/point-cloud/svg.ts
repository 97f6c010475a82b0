import { context2d } from '../canvas-context.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number>>;

export function svgElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] {
  return set(document.createElementNS(NAMESPACE, name), attributes);
}

/** Sets attributes. An attribute that has the value already is skipped, because setting it would cause another layout. */
export function set<E extends Element>(element: E, attributes: Attributes): E {
  for (const [name, value] of Object.entries(attributes)) {
    const text = typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  return element;
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes the parent have exactly `count` children of one kind. Existing ones are reused, because layers are redrawn in every frame. */
export function children<Name extends keyof SVGElementTagNameMap>(
  parent: Element,
  name: Name,
  count: number,
): SVGElementTagNameMap[Name][] {
  while (parent.childElementCount > count) parent.lastElementChild?.remove();
  while (parent.childElementCount < count) parent.append(svgElement(name));
  return Array.from(parent.children) as SVGElementTagNameMap[Name][];
}

/** A group of a layer, created on first use. */
export function group(parent: Element, name: string): SVGGElement {
  const found = parent.querySelector<SVGGElement>(`:scope > g.${name}`);
  if (found) return found;
  const made = svgElement('g', { class: name });
  parent.append(made);
  return made;
}

/** Caches: the context that measures texts, and the widths that it measured. */
let measuring: CanvasRenderingContext2D | undefined;
const widths = new Map<string, number>();

/** The width of a text in the font of the labels. */
export function labelWidth(text: string, weight = 400): number {
  const key = `${weight} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    measuring ??= context2d(document.createElement('canvas'));
    measuring.font = `${weight} 12px system-ui, sans-serif`;
    width = measuring.measureText(text).width;
    // Tick labels change all the time: the cache must not grow without end.
    if (widths.size > 2000) widths.clear();
    widths.set(key, width);
  }
  return width;
}
