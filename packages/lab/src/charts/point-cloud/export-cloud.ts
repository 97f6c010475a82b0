import { context2d } from '../canvas-context.js';
import { CanvasPainter } from './canvas-painter.js';
import { dots } from './dots.js';
import type { Scene } from './scene.js';
import { svgElement } from './svg.js';
import { WebglPainter } from './webgl-painter.js';

type Picture = Scene['snapshot'];

/** A file with more circles is slow to open: then the points become a bitmap in the file. */
const MAX_CIRCLES = 5000;
const PNG_SCALE = 2;

const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'font-family',
  'font-size',
  'font-weight',
];

/** The figure as a standalone SVG: axes and arrows as vectors, points as circles when there are few. */
export async function toSvg(picture: Picture): Promise<SVGSVGElement> {
  const { cloud, layout } = picture;
  const svg = frame(picture);
  const inner = innerFrame(picture);
  // Before the first await, because the page may change meanwhile.
  const above = aboveOf(picture);
  svg.append(...belowOf(picture), inner);
  if (cloud.points.x.length <= MAX_CIRCLES) {
    for (const { x, y, radius, alpha, colour } of dots(cloud, picture.range, cloud.points.x.length)) {
      const [cx, cy, r] = [x, y, radius];
      inner.append(svgElement('circle', { cx, cy, r, fill: colour, 'fill-opacity': alpha }));
    }
  } else {
    const href = (await rasterizePoints(picture)).toDataURL('image/png');
    inner.append(svgElement('image', { href, width: layout.innerWidth, height: layout.innerHeight }));
  }
  inner.append(...above);
  return svg;
}

/**
 * Drawn layer by layer, not from the SVG above: not every browser waits for images inside an SVG.
 */
export async function toPng(picture: Picture): Promise<Blob> {
  const { layout } = picture;
  const below = frame(picture);
  below.append(...belowOf(picture));
  const above = frame(picture);
  const inner = innerFrame(picture);
  inner.append(...aboveOf(picture));
  above.replaceChildren(inner);
  const [background, points, top] = await Promise.all([imageOf(below), rasterizePoints(picture), imageOf(above)]);
  const canvas = document.createElement('canvas');
  canvas.width = layout.width * PNG_SCALE;
  canvas.height = layout.height * PNG_SCALE;
  const context = context2d(canvas);
  context.scale(PNG_SCALE, PNG_SCALE);
  context.drawImage(background, 0, 0, layout.width, layout.height);
  context.drawImage(points, layout.left, layout.top, layout.innerWidth, layout.innerHeight);
  context.drawImage(top, 0, 0, layout.width, layout.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be written.'))),
      'image/png',
    );
  });
}

/** The empty figure with the background it has in the page. */
function frame({ layout: { width, height }, layers, label }: Picture): SVGSVGElement {
  const svg = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' });
  const title = svgElement('title');
  title.textContent = readable(label);
  svg.append(title, svgElement('rect', { width, height, fill: backgroundOf(layers.container) }));
  return svg;
}

/** Clips what lies outside the axes. */
function innerFrame({ layout }: Picture): SVGSVGElement {
  const { left, top, innerWidth, innerHeight } = layout;
  return svgElement('svg', { x: left, y: top, width: innerWidth, height: innerHeight, overflow: 'hidden' });
}

function belowOf({ layers }: Picture): Element[] {
  return Array.from(layers.below.children, (child) => standaloneCopy(child));
}

/** Arrows, without the ring of the hovered point and the lasso. */
function aboveOf({ layers }: Picture): Element[] {
  return Array.from(layers.above.querySelectorAll(':scope > g:not(.marks)'), (child) => standaloneCopy(child));
}

/** A copy that looks the same without the style sheet. */
function standaloneCopy(element: Element): Element {
  const copy = element.cloneNode(false) as Element;
  copy.removeAttribute('class');
  if (element.tagName !== 'g') {
    const style = getComputedStyle(element);
    const isText = element.tagName === 'text';
    for (const name of STYLES) {
      if (isText || !name.startsWith('font')) copy.setAttribute(name, style.getPropertyValue(name));
    }
    if (isText) copy.textContent = readable(element.textContent ?? '');
  }
  copy.append(...Array.from(element.children, standaloneCopy));
  return copy;
}

/** Names of columns may contain characters that XML does not allow. */
function readable(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}

function backgroundOf(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor)) return backgroundColor;
  }
  return '#ffffff';
}

/** All points on a canvas of their own, at twice the size. Waits for the graphics card without blocking the page. */
async function rasterizePoints({ cloud, range, layout }: Picture): Promise<HTMLCanvasElement> {
  const canvas = document.createElement('canvas');
  const painter = WebglPainter.create(canvas, () => {}) ?? new CanvasPainter(canvas);
  painter.resize(layout.innerWidth * PNG_SCALE, layout.innerHeight * PNG_SCALE, PNG_SCALE);
  painter.show(cloud);
  painter.paint(range);
  painter.finish();
  while (painter.busy) await new Promise((resolve) => setTimeout(resolve, 5));
  painter.present('finished', { x: 0, y: 0, width: layout.innerWidth, height: layout.innerHeight });
  // A copy, so that the WebGL context can be released at once: a page has only a few.
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  context2d(copy).drawImage(canvas, 0, 0);
  painter.dispose();
  return copy;
}

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}
