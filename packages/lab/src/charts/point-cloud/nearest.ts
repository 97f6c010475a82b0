import type { CloudPoints } from './types.js';
import { BLOCK, type CameraView, projectRows } from './view.js';

/**
 * The row whose projected point is nearest to a pixel, within a radius. Tests every point, which takes 2 ms for a million, at
 * most once per frame. So no index has to be rebuilt when points or axes change (a k-d tree of a million points takes 0.3 s
 * and 12 MB).
 */
export function nearestRow(
  view: CameraView,
  points: CloudPoints,
  x: number,
  y: number,
  reach: number,
): number | undefined {
  const count = points.x.length;
  const pixels = new Float64Array(2 * Math.min(BLOCK, count));
  let row: number | undefined;
  let least = reach * reach;
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    projectRows(view, points, from, to, pixels);
    for (let at = 0, end = 2 * (to - from); at < end; at += 2) {
      const dx = pixels[at] - x;
      const dy = pixels[at + 1] - y;
      const distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        row = from + at / 2;
      }
    }
  }
  return row;
}
