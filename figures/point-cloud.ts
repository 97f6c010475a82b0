import { pngAddress } from 'scree/png';
import { COLOURS } from './svg.js';

/** Image pixels per pixel of the sheet, in each direction. */
const DENSITY = 2;

export interface Window {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/**
 * Very many points as an image inside the SVG, one pixel per point. Where several points share a pixel, it has the colour of
 * their most frequent digit. As SVG shapes, 60,000 points would take megabytes.
 */
export function pointCloud(
  points: Float64Array,
  labels: Uint8Array,
  { x: [left, right], y: [bottom, top] }: Window,
  width: number,
  height: number,
): string {
  const [w, h] = [Math.round(width * DENSITY), Math.round(height * DENSITY)];
  const votes = new Uint16Array(w * h * COLOURS.length);
  for (let i = 0; i < labels.length; i++) {
    const column = Math.floor(((points[2 * i] - left) / (right - left)) * w);
    const row = Math.floor(((top - points[2 * i + 1]) / (top - bottom)) * h);
    if (column < 0 || column >= w || row < 0 || row >= h) continue;
    votes[(row * w + column) * COLOURS.length + labels[i]]++;
  }
  const pixels = new Uint8Array(w * h);
  for (let at = 0; at < pixels.length; at++) {
    let most = 0;
    for (let label = 0; label < COLOURS.length; label++) {
      const count = votes[at * COLOURS.length + label];
      if (count <= most) continue;
      most = count;
      pixels[at] = label + 1;
    }
  }
  const href = pngAddress({ width: w, height: h, pixels, palette: ['#ffffff', ...COLOURS], transparent: true });
  return `<image width="${width}" height="${height}" href="${href}"/>`;
}
