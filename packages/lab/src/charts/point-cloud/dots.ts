import { mist } from './look.js';
import type { Cloud, Piece } from './painter.js';
import { hexOf, MOST_COLOURS } from './palette.js';
import { byDepth, placesBySlot, slotsOf, strideOf } from './slots.js';
import { project } from './view.js';

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly alpha: number;
  readonly colour: string;
}

/** The points of a piece one by one, in the order they are drawn, for those who draw without shaders; only what can be seen. */
export function* dots(cloud: Cloud, { view, look, from, to, selectedTo }: Piece): Generator<Dot> {
  const { points, colours, selected } = cloud;
  const { x, y, z } = points;
  const count = x.length;
  const stride = strideOf(count);
  const colourNames = Array.from({ length: MOST_COLOURS }, (_, index) => hexOf(cloud.palette, index));
  const places = z && placesBySlot(points);

  function* draw(slots: Iterable<number>, diameter: number, alpha: number): Generator<Dot> {
    for (const slot of slots) {
      // Below 2⁵³ as long as there are fewer than 90 million points.
      const row = (slot * stride) % count;
      const seen = project(view, x[row], y[row], z?.[row]);
      const radius = diameter / 2 / seen.depth;
      if (!(seen.x > -radius && seen.x < view.width + radius && seen.y > -radius && seen.y < view.height + radius))
        continue;
      const kept = z ? alpha * mist(seen.depth) : alpha;
      yield { x: seen.x, y: seen.y, radius, alpha: kept, colour: colourNames[colours[row] ?? 0] };
    }
  }

  yield* draw(
    places ? byDepth(view, places, to) : between(from, to),
    look.diameter,
    selected ? look.fadedAlpha : look.alpha,
  );
  if (!selected) return;
  const chosen = slotsOf(selected, count).subarray(0, selectedTo);
  yield* draw(places ? byDepth(view, places, chosen) : chosen, look.selectedDiameter, look.selectedAlpha);
}

function* between(from: number, to: number): Generator<number> {
  for (let slot = from; slot < to; slot++) yield slot;
}
