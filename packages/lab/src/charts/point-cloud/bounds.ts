import type { CloudArrow, CloudPoints } from './types.js';

/** The lowest and highest value per dimension. */
export interface Bounds {
  readonly low: readonly [number, number, number];
  readonly high: readonly [number, number, number];
}

/**
 * The box around all points with finite coordinates and around the tips of the arrows. Outlines of groups are not included:
 * an outline of few rows is far larger than the data.
 */
export function boundsOf(points: CloudPoints, arrows: readonly CloudArrow[] = []): Bounds {
  const sides = [
    range(
      points.x,
      arrows.flatMap(({ x }) => [0, x]),
    ),
    range(
      points.y,
      arrows.flatMap(({ y }) => [0, y]),
    ),
    points.z
      ? range(
          points.z,
          arrows.flatMap(({ z }) => [0, z ?? 0]),
        )
      : ([0, 0] as const),
  ];
  return {
    low: [sides[0][0], sides[1][0], sides[2][0]],
    high: [sides[0][1], sides[1][1], sides[2][1]],
  };
}

function range(values: Float32Array, others: readonly number[]): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const list of [values, others]) {
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      // NaN and infinite values have no position.
      if (value - value !== 0) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 0];
}

/** Half the visible extent per dimension. A dimension without extent gets some, so that nothing is divided by zero. */
export function halves({ low, high }: Bounds, equal: boolean): readonly [number, number, number] {
  const half = low.map((value, side) => (high[side] - value) / 2);
  const largest = Math.max(...half) || Math.max(...low.map(Math.abs)) || 1;
  const [x, y, z] = half.map((value) => (equal ? value : value || largest));
  return equal && x === 0 && y === 0 && z === 0 ? [largest, largest, largest] : [x, y, z];
}

export function middle({ low, high }: Bounds): readonly [number, number, number] {
  return [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
}
