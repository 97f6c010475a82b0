import { context2d } from '../canvas-context.js';
export const MAX_COLOURS = 256;

/** Red, green, blue and alpha of 256 CSS colours, as the browser parses them. */
export function paletteBytes(palette: readonly string[]): Uint8Array {
  const canvas = document.createElement('canvas');
  canvas.width = MAX_COLOURS;
  canvas.height = 1;
  const context = context2d(canvas, { willReadFrequently: true });
  // Grey for an index without a colour, and for a colour that cannot be parsed.
  context.fillStyle = '#888';
  context.fillRect(0, 0, MAX_COLOURS, 1);
  palette.slice(0, MAX_COLOURS).forEach((colour, index) => {
    context.fillStyle = '#888';
    context.fillStyle = colour;
    context.fillRect(index, 0, 1, 1);
  });
  return new Uint8Array(context.getImageData(0, 0, MAX_COLOURS, 1).data.buffer);
}

/** One of these colours as #rrggbb, for exported files. */
export function hexOf(bytes: Uint8Array, index: number): string {
  const parts = bytes.subarray(4 * index, 4 * index + 3);
  return `#${Array.from(parts, (part) => part.toString(16).padStart(2, '0')).join('')}`;
}
