import { context2d } from '../charts/canvas-context.js';
import { svgElement } from '../charts/point-cloud/svg.js';

/** One of several pictures side by side, as in the page, with its caption. */
interface Entry {
  readonly canvas: HTMLCanvasElement;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly opacity: number;
  readonly caption: string;
}

interface Sheet {
  readonly entries: readonly Entry[];
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly textColour: string;
}

const CAPTION = { size: 12, font: 'system-ui, sans-serif', below: 14 };
const MARGIN = 8;
/** Pixels per unit of the drawing. */
const DENSITY = 2;

function layOutSheet(container: HTMLElement): Sheet {
  const { left, top, width, height } = container.getBoundingClientRect();
  const entries = Array.from(container.querySelectorAll('canvas'), (canvas): Entry => {
    const box = canvas.getBoundingClientRect();
    return {
      canvas,
      x: box.left - left + MARGIN,
      y: box.top - top + MARGIN,
      width: box.width,
      height: box.height,
      opacity: Number(getComputedStyle(canvas).opacity),
      caption: canvas.parentElement?.querySelector('span, figcaption')?.textContent ?? '',
    };
  });
  const style = getComputedStyle(container.closest('.panel') ?? document.body);
  return {
    entries,
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    background: style.backgroundColor,
    textColour: style.color,
  };
}

export function sheetSvg(container: HTMLElement): SVGSVGElement {
  const { entries, width, height, background, textColour } = layOutSheet(container);
  const svg = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(svgElement('rect', { width, height, fill: background }));
  for (const { canvas, x, y, width: w, height: h, opacity, caption } of entries) {
    const image = svgElement('image', { x, y, width: w, height: h, opacity, href: enlarged(canvas, w).toDataURL() });
    const text = svgElement('text', { x, y: y + h + CAPTION.below, fill: textColour });
    text.setAttribute('font-family', CAPTION.font);
    text.setAttribute('font-size', String(CAPTION.size));
    text.textContent = caption;
    svg.append(image, text);
  }
  return svg;
}

/** The pictures as a PNG. It is not made from the SVG, because some browsers do not wait for images inside an SVG. */
export async function sheetPng(container: HTMLElement): Promise<Blob> {
  const { entries, width, height, background, textColour } = layOutSheet(container);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(DENSITY * width);
  canvas.height = Math.ceil(DENSITY * height);
  const context = context2d(canvas);
  context.scale(DENSITY, DENSITY);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  context.imageSmoothingEnabled = false;
  context.font = `${CAPTION.size}px ${CAPTION.font}`;
  context.fillStyle = textColour;
  for (const { canvas: picture, x, y, width: w, height: h, opacity, caption } of entries) {
    context.globalAlpha = opacity;
    context.drawImage(picture, x, y, w, h);
    context.globalAlpha = 1;
    context.fillText(caption, x, y + h + CAPTION.below);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error('The browser could not make a PNG of these pictures.')),
    );
  });
}

/** Enlarges every pixel to a square, because the program that opens the file might smooth small images. */
function enlarged(picture: HTMLCanvasElement, width: number): HTMLCanvasElement {
  const factor = Math.max(1, Math.ceil((DENSITY * width) / picture.width));
  const canvas = document.createElement('canvas');
  canvas.width = factor * picture.width;
  canvas.height = factor * picture.height;
  const context = context2d(canvas);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}
