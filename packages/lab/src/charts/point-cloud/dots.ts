import { mist } from './point-style.js';
import type { Cloud, Piece } from './painter.js';
import { hexOf, MOST_COLOURS } from './palette.js';
import { byDepth, placesBySlot, rowsBySlot, slotsOf } from './draw-order.js';
import { project } from './view.js';

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly alpha: number;
  readonly colour: string;
}

/**
 * The dots of a piece one by one, in the order they are drawn, for those who draw without shaders; only what can be seen. `count` is how many
 * of the points are drawn at all, which is where the selected ones begin.
 */
export function* dots(cloud: Cloud, piece: Piece, count: number): Generator<Dot> {
  const { view, look, from, to } = piece;
  const { points, colours, selected } = cloud;
  const { x, y, z } = points;
  const rows = rowsBySlot(x.length);
  const colourNames = Array.from({ length: MOST_COLOURS }, (_, index) => hexOf(cloud.palette, index));
  const places = z && placesBySlot(points);

  function* draw(slots: Iterable<number>, diameter: number, alpha: number): Generator<Dot> {
    for (const slot of slots) {
      const row = rows[slot];
      const { depth, ...at } = project(view, x[row], y[row], z?.[row]);
      const radius = diameter / 2 / depth;
      const seen = at.x > -radius && at.x < view.width + radius && at.y > -radius && at.y < view.height + radius;
      if (!seen) continue;
      yield { ...at, radius, alpha: z ? alpha * mist(depth) : alpha, colour: colourNames[colours[row] ?? 0] };
    }
  }

  if (from < count) {
    const end = Math.min(count, to);
    const slots = places ? byDepth(view, places, end) : between(from, end);
    yield* draw(slots, look.diameter, selected ? look.fadedAlpha : look.alpha);
  }
  if (to > count && selected) {
    const chosen = slotsOf(selected, x.length).subarray(Math.max(0, from - count), to - count);
    yield* draw(places ? byDepth(view, places, chosen) : chosen, look.selectedDiameter, look.selectedAlpha);
  }
}

function* between(from: number, to: number): Generator<number> {
  for (let slot = from; slot < to; slot++) yield slot;
}
