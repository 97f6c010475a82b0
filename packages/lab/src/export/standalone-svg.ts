import { context2d } from '../charts/canvas-context.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** The CSS properties of SVG shapes and text. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-variant',
  'text-anchor',
  'paint-order',
] as const;

/** A copy that looks the same in a file without a style sheet: styles become attributes. */
export function standalone(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  originals.forEach((original, at) => {
    const target = copies[at];
    if (original instanceof SVGStyleElement) return;
    const style = getComputedStyle(original);
    for (const name of STYLES) target.setAttribute(name, style.getPropertyValue(name));
    target.removeAttribute('class');
    target.removeAttribute('style');
  });
  for (const style of copy.querySelectorAll('style')) style.remove();
  const { width, height } = svg.getBoundingClientRect();
  const ground = document.createElementNS(NAMESPACE, 'rect');
  ground.setAttribute('width', String(width));
  ground.setAttribute('height', String(height));
  ground.setAttribute('fill', getComputedStyle(svg.closest('.panel') ?? document.body).backgroundColor);
  copy.prepend(ground);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return copy;
}

/** The text of a file. */
export function svgText(svg: SVGSVGElement): string {
  svg.setAttribute('xmlns', NAMESPACE);
  writeHexColours(svg);
  // Names may contain characters that XML does not allow, not even as references.
  const text = new XMLSerializer()
    .serializeToString(svg)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}

/** Writes colours as #rrggbb with an opacity. Other programs show colours in the notation of browsers, such as oklab(…), as black. */
function writeHexColours(svg: SVGSVGElement): void {
  const known = new Map<string, Colour>();
  for (const element of [svg, ...svg.querySelectorAll('*')]) {
    for (const name of ['fill', 'stroke'] as const) {
      const written = element.getAttribute(name);
      if (written === null || !CSS.supports('color', written)) continue;
      const { hex, opacity } = known.get(written) ?? readColour(written);
      known.set(written, { hex, opacity });
      element.setAttribute(name, opacity === 0 ? 'none' : hex);
      if (opacity === 1) continue;
      const own = Number(element.getAttribute(`${name}-opacity`) ?? 1);
      element.setAttribute(`${name}-opacity`, String(own * opacity));
    }
  }
}

interface Colour {
  readonly hex: string;
  readonly opacity: number;
}

/** A colour in any notation, as the browser paints it. */
function readColour(colour: string): Colour {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = context2d(canvas);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  const hex = `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  return { hex, opacity: alpha / 255 };
}

/** Pixels per unit of the drawing, sharp on paper and on dense screens. */
const DENSITY = 2;

/** The drawing as a PNG. */
export async function svgToPng(svg: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svgText(svg)], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(DENSITY * Number(svg.getAttribute('width')));
  canvas.height = Math.ceil(DENSITY * Number(svg.getAttribute('height')));
  context2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error('The browser could not make a PNG of this figure.')),
    );
  });
}
