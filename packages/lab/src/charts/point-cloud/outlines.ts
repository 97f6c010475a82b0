import { children, group, set } from './svg.js';
import type { CloudOutline } from './types.js';
import { type CameraView, projectPoint } from './view.js';

/** Draws closed lines around groups above the points, in two dimensions. */
export function drawOutlines(layer: SVGElement, view: CameraView, outlines: readonly CloudOutline[]): void {
  children(group(layer, 'outline-lines'), 'path', outlines.length).forEach((path, i) => {
    const { points, colour, dashed } = outlines[i];
    set(path, { d: pathOf(points, view), stroke: colour, fill: colour, 'stroke-dasharray': dashed ? '6 4' : 'none' });
  });
}

function pathOf(points: Float64Array, view: CameraView): string {
  const corners: string[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const { x, y } = projectPoint(view, points[at], points[at + 1], 0);
    corners.push(`${round(x)},${round(y)}`);
  }
  return corners.length === 0 ? '' : `M${corners.join('L')}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
