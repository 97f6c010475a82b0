import { WIDTH } from './figure.js';
import type { NameArea } from './place-names.js';

/** A plot whose points are also needed in pixels, to place names. */
export interface Plane {
  readonly height: number;
  readonly x: [low: number, high: number];
  readonly y: [low: number, high: number];
  /** True if the two axes have different scales. */
  readonly stretched: boolean;
  /** The area inside the axes. */
  readonly frame: NameArea;
  toPixel(x: number, y: number): [number, number];
}

export const MARGINS = { marginLeft: 58, marginBottom: 42, marginTop: 26, marginRight: 22 } as const;

type Points = readonly (readonly [x: number, y: number])[];

/**
 * A plane with room for these points and the origin. It also has room for `others` if they do not make it much larger. Both axes have the
 * same scale, unless the plane would become too high or too low.
 */
export function planeOf(points: Points, others: Points = [], highest = 440): Plane {
  const [x, y] = [rangeOf(points, others, 0), rangeOf(points, others, 1)];
  const ratio = (y[1] - y[0]) / (x[1] - x[0]);
  const wanted = (WIDTH - MARGINS.marginLeft - MARGINS.marginRight) * ratio + MARGINS.marginTop + MARGINS.marginBottom;
  const height = Number.isFinite(wanted) ? Math.round(Math.min(highest, Math.max(280, wanted))) : 280;
  return makePlane(x, y, height, !(Math.abs(height - wanted) < 12));
}

export function makePlane(x: [number, number], y: [number, number], height: number, stretched = false): Plane {
  const frame = {
    left: MARGINS.marginLeft,
    right: WIDTH - MARGINS.marginRight,
    top: MARGINS.marginTop,
    bottom: height - MARGINS.marginBottom,
  };
  return {
    height,
    x,
    y,
    stretched,
    frame,
    toPixel: (a, b) => [
      frame.left + ((a - x[0]) / (x[1] - x[0])) * (frame.right - frame.left),
      frame.bottom - ((b - y[0]) / (y[1] - y[0])) * (frame.bottom - frame.top),
    ],
  };
}

/** Maximum share of the points' range that `others` may add at each end. */
const MOST_ADDED = 0.75;

function rangeOf(points: Points, others: Points, axis: 0 | 1): [number, number] {
  const ends = (of: Points): [number, number] =>
    of.reduce<[number, number]>(([low, high], at) => [Math.min(low, at[axis]), Math.max(high, at[axis])], [0, 0]);
  const [low, high] = ends(points);
  const [lowest, highest] = ends(others);
  const span = high - low || 1;
  return [
    Math.min(low - 0.05 * span, Math.max(lowest - 0.02 * span, low - MOST_ADDED * span)),
    Math.max(high + 0.05 * span, Math.min(highest + 0.02 * span, high + MOST_ADDED * span)),
  ];
}
