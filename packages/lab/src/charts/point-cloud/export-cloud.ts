import { drawNotes, readable } from '../../export/figure-notes.js';
import { themeColour } from '../../theme.js';
import { context2d } from '../canvas-context.js';
import { CanvasPainter } from './canvas-painter.js';
import { visibleDots } from './dots.js';
import type { CloudSnapshot } from './scene.js';
import { svgElement } from './svg.js';
import { WebglPainter } from './webgl-painter.js';

/** A snapshot with everything around the points as copies that need no style sheet. */
interface ExportedPicture extends CloudSnapshot {
  readonly below: readonly Element[];
  readonly above: readonly Element[];
  /** Legend and captions, below the figure. */
  readonly notes: { readonly group: SVGGElement; readonly height: number };
}

/** With more circles a file is slow to open, so the points become a bitmap in it. */
const MAX_CIRCLES = 5000;
const PNG_SCALE = 2;

const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'font-family',
  'font-size',
  'font-weight',
];

/** The figure as a standalone SVG: axes and arrows as vectors, points as circles when there are few. */
export async function cloudSvg(snapshot: CloudSnapshot): Promise<SVGSVGElement> {
  // Before the first await, because the page may change meanwhile.
  const picture = pictureOf(snapshot);
  const { cloud, layout, below, above, notes } = picture;
  const svg = frame(picture);
  const inner = innerFrame(picture);
  svg.append(...below, inner, notes.group);
  if (cloud.points.x.length <= MAX_CIRCLES) {
    for (const { x, y, radius, alpha, colour } of visibleDots(cloud, picture.range, cloud.points.x.length)) {
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

/** The figure as a PNG. It is drawn layer by layer and not from the SVG, because some browsers do not wait for images inside an SVG. */
export async function cloudPng(snapshot: CloudSnapshot): Promise<Blob> {
  const picture = pictureOf(snapshot);
  const { layout, notes } = picture;
  const below = frame(picture);
  below.append(...picture.below, notes.group);
  const above = frame(picture);
  const inner = innerFrame(picture);
  inner.append(...picture.above);
  above.replaceChildren(inner);
  const [background, points, top] = await Promise.all([imageOf(below), rasterizePoints(picture), imageOf(above)]);
  const height = layout.height + notes.height;
  const canvas = document.createElement('canvas');
  canvas.width = layout.width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  const context = context2d(canvas);
  context.scale(PNG_SCALE, PNG_SCALE);
  context.drawImage(background, 0, 0, layout.width, height);
  context.drawImage(points, layout.left, layout.top, layout.innerWidth, layout.innerHeight);
  context.drawImage(top, 0, 0, layout.width, height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be written.'))),
      'image/png',
    );
  });
}

/** The empty figure with the background it has in the page, and room for the notes. */
function frame({ layout: { width, height: figure }, layers, label, notes }: ExportedPicture): SVGSVGElement {
  const height = figure + notes.height;
  const svg = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' });
  const title = svgElement('title');
  title.textContent = readable(label);
  svg.append(title, svgElement('rect', { width, height, fill: backgroundOf(layers.container) }));
  return svg;
}

function pictureOf(snapshot: CloudSnapshot): ExportedPicture {
  const { layers, layout, legend } = snapshot;
  // The arrows are drawn again with whole names. The style sheet applies only in the page, so they are in the page, but hidden.
  const layer = svgElement('svg', { class: 'above', visibility: 'hidden' });
  layers.container.append(layer);
  const unnamed = snapshot.drawAbove(layer);
  const above = Array.from(layer.children, standaloneCopy);
  layer.remove();
  const captions = [
    ...snapshot.captions,
    ...(unnamed.length > 0 ? [`Arrows without a name in the figure, longest first: ${unnamed.join(', ')}.`] : []),
  ];
  const notes = drawNotes({ legend, captions }, layout.width, {
    text: themeColour('--text'),
    muted: themeColour('--muted'),
  });
  notes.group.setAttribute('transform', `translate(0, ${layout.height})`);
  return { ...snapshot, below: Array.from(layers.below.children, standaloneCopy), above, notes };
}

/** Clips what lies outside the axes. */
function innerFrame({ layout }: ExportedPicture): SVGSVGElement {
  const { left, top, innerWidth, innerHeight } = layout;
  return svgElement('svg', { x: left, y: top, width: innerWidth, height: innerHeight, overflow: 'hidden' });
}

/** A copy that looks the same without the style sheet. */
function standaloneCopy(element: Element): Element {
  const copy = element.cloneNode(false) as Element;
  copy.removeAttribute('class');
  copy.removeAttribute('style');
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

function backgroundOf(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor)) return backgroundColor;
  }
  return '#ffffff';
}

/** All points on a canvas of their own, at twice the size. Waits for the graphics card without blocking the page. */
async function rasterizePoints({ cloud, range, layout }: ExportedPicture): Promise<HTMLCanvasElement> {
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
