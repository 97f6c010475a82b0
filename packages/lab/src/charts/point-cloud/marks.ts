import { children, group, set } from './svg.js';

/** The ring around the hovered point, and the lasso while it is drawn. */
export function drawMarks(
  layer: SVGElement,
  ring: { readonly x: number; readonly y: number; readonly radius: number } | undefined,
  line: readonly number[] | undefined,
): void {
  const marks = group(layer, 'marks');
  children(group(marks, 'lasso'), 'polygon', line ? 1 : 0).forEach((polygon) => {
    set(polygon, { points: (line ?? []).map((value) => Math.round(value * 10) / 10).join(' ') });
  });
  const rings = group(marks, 'rings');
  const isVisible = ring !== undefined && Number.isFinite(ring.x + ring.y);
  for (const circle of children(rings, 'circle', isVisible ? 2 : 0)) {
    if (ring) set(circle, { cx: ring.x, cy: ring.y, r: ring.radius });
  }
}
