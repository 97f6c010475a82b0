import { drawIndexesOf, positionsInDrawOrder, rowsInDrawOrder, sortByDepth } from './draw-order.js';
import type { DrawRange, PaintedCloud } from './painter.js';
import { hexOf, MAX_COLOURS } from './palette.js';
import { depthFade } from './point-style.js';
import { projectPoint } from './view.js';

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly alpha: number;
  readonly colour: string;
}

/**
 * Yields the visible dots of a range in draw order, for drawing without shaders. `count` is the number of points that are
 * drawn; the selected points follow them.
 */
export function* visibleDots(cloud: PaintedCloud, piece: DrawRange, count: number): Generator<Dot> {
  const { view, style, from, to } = piece;
  const { points, colours, selected } = cloud;
  const { x, y, z } = points;
  const rows = rowsInDrawOrder(x.length);
  const colourNames = Array.from({ length: MAX_COLOURS }, (_, index) => hexOf(cloud.palette, index));
  const positions = z && positionsInDrawOrder(points);

  function* draw(indexes: Iterable<number>, diameter: number, alpha: number): Generator<Dot> {
    for (const index of indexes) {
      const row = rows[index];
      const { depth, ...at } = projectPoint(view, x[row], y[row], z?.[row]);
      const radius = diameter / 2 / depth;
      const isVisible = at.x > -radius && at.x < view.width + radius && at.y > -radius && at.y < view.height + radius;
      if (!isVisible) continue;
      yield { ...at, radius, alpha: z ? alpha * depthFade(depth) : alpha, colour: colourNames[colours[row] ?? 0] };
    }
  }

  if (from < count) {
    const end = Math.min(count, to);
    const indexes = positions ? sortByDepth(view, positions, end) : between(from, end);
    yield* draw(indexes, style.diameter, selected ? style.fadedAlpha : style.alpha);
  }
  if (to > count && selected) {
    const chosen = drawIndexesOf(selected, x.length).subarray(Math.max(0, from - count), to - count);
    yield* draw(positions ? sortByDepth(view, positions, chosen) : chosen, style.selectedDiameter, style.selectedAlpha);
  }
}

function* between(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index++) yield index;
}
