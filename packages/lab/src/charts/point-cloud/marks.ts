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
  children(group(marks, 'rings'), 'circle', ring && Number.isFinite(ring.x + ring.y) ? 2 : 0).forEach((circle) => {
    set(circle, { cx: ring!.x, cy: ring!.y, r: ring!.radius });
  });
}
