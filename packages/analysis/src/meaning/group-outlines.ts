import type { PcaOptions } from '@scree/core';
import { maxAbs, powerOfTwo } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import { convexHull, type Point } from './convex-hull.js';
import { type Ellipse, groupEllipse } from './ellipse.js';

/** The outline of a group: the ellipse of its mean (`confidence`) or of its rows (`concentration`), or the convex hull of its rows. */
export type OutlineKind = 'confidence' | 'concentration' | 'hull';

/** A closed line around a group. */
export interface GroupOutline {
  readonly group: number;
  /** x and y alternating, in the units of the scores. */
  readonly points: Float64Array;
}

/** Corners of a drawn ellipse. The line is within 2·10⁻⁴ of its radius. */
const CORNERS = 160;
/** Rows between two chances to cancel. */
const ROWS = 4096;

/** The outlines to draw. */
export interface OutlineRequest {
  /** Scores of all rows on the two components. */
  readonly scores: readonly [x: Float64Array, y: Float64Array];
  /** The group of every row, from 0. */
  readonly codes: ArrayLike<number>;
  /** The number of groups. */
  readonly groups: number;
  readonly kind: OutlineKind;
  readonly level: number;
  /** Fewest rows of a group with an ellipse. With few rows an ellipse may be larger than the figure. */
  readonly fewest: number;
}

/** Ellipses or hulls of groups on two components. Groups with too few rows have no ellipse, and groups without an area no hull. */
export async function groupOutlines(
  { scores: [x, y], codes, groups, kind, level, fewest }: OutlineRequest,
  control: Pick<PcaOptions, 'signal' | 'onProgress'> = {},
): Promise<GroupOutline[]> {
  // Scores are measured in a power of two, because squares of 1e-200 would be 0.
  const unit = powerOfTwo(Math.max(maxAbs(x), maxAbs(y)) || 1);
  const sums = Array.from({ length: groups }, () => new PlaneSums());
  const hulls = Array.from({ length: groups }, (): Point[] => []);
  const progress = new ProgressTracker(control);
  for (let from = 0; from < codes.length; from += ROWS) {
    const points = Array.from({ length: groups }, (): Point[] => []);
    for (let i = from; i < Math.min(codes.length, from + ROWS); i++) {
      const [a, b] = [x[i] / unit, y[i] / unit];
      if (kind === 'hull') points[codes[i]].push([a, b]);
      else sums[codes[i]].add(a, b);
    }
    points.forEach((some, group) => {
      if (some.length > 0) hulls[group] = convexHull([...hulls[group], ...some]);
    });
    await progress.yieldToEventLoop();
  }
  return hulls.flatMap((hull, group) => {
    const sum = sums[group].result();
    const ellipse = kind === 'hull' || sum.n < fewest ? undefined : groupEllipse(sum, [0, 1], { kind, level });
    const corners = ellipse ? cornersOf(ellipse) : hull;
    return corners.length < 3 ? [] : [{ group, points: Float64Array.from(corners.flat(), (value) => value * unit) }];
  });
}

/**
 * n, mean and covariance of points, in one pass: with δ the deviation of a point from the mean of the points before it, S += (1 −
 * 1/n)·δδᵀ.
 */
class PlaneSums {
  #n = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;
  #yy = 0;

  add(x: number, y: number): void {
    this.#n++;
    const [dx, dy] = [x - this.#x, y - this.#y];
    const factor = 1 - 1 / this.#n;
    this.#x += dx / this.#n;
    this.#y += dy / this.#n;
    this.#xx += factor * dx * dx;
    this.#xy += factor * dx * dy;
    this.#yy += factor * dy * dy;
  }

  result(): Parameters<typeof groupEllipse>[0] {
    const divisor = this.#n - 1;
    const [xx, xy, yy] = [this.#xx / divisor, this.#xy / divisor, this.#yy / divisor];
    return {
      n: this.#n,
      center: [this.#x, this.#y],
      covariance: [
        [xx, xy],
        [xy, yy],
      ],
    };
  }
}

function cornersOf({ center: [x, y], semiAxes: [longer, shorter], angle }: Ellipse): Point[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return Array.from({ length: CORNERS }, (_, i): Point => {
    const turn = (2 * Math.PI * i) / CORNERS;
    const [along, across] = [longer * Math.cos(turn), shorter * Math.sin(turn)];
    return [x + along * cos - across * sin, y + along * sin + across * cos];
  });
}
