import { convexHull, type Ellipse, groupEllipse, type Point } from '@scree/analysis';
import { maxAbs, powerOfTwo } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import type { Control } from './loaded-table.js';
import { type ColourCodes, type GroupOutline, MIN_ELLIPSE_ROWS, type OutlineKind } from './messages.js';

/** Corners of an ellipse as it is drawn: the line is within 2·10⁻⁴ of its radius. */
const CORNERS = 160;
/** Rows between two chances to cancel. */
const ROWS = 4096;

interface Request {
  /** Scores of all rows on the two components. */
  readonly scores: readonly [x: Float64Array, y: Float64Array];
  readonly groups: Extract<ColourCodes, { kind: 'groups' }>;
  readonly kind: OutlineKind;
  readonly level: number;
}

/**
 * Ellipses or hulls of groups on two components. Rows without a value and the remaining groups that share a colour have none;
 * nor have groups with fewer than 6 rows an ellipse, or groups without an area a hull.
 */
export async function groupOutlines(
  { scores: [x, y], groups, kind, level }: Request,
  control: Control,
): Promise<GroupOutline[]> {
  const { codes, names, others, missing } = groups;
  // In a unit of their own, because squares of 1e-200 would be 0.
  const unit = powerOfTwo(Math.max(maxAbs(x), maxAbs(y)) || 1);
  const sums = names.map(() => new PlaneSums());
  const hulls = names.map((): Point[] => []);
  const progress = new ProgressTracker(control);
  for (let from = 0; from < codes.length; from += ROWS) {
    const points = names.map((): Point[] => []);
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
  return names.flatMap((_, group) => {
    if (group === missing || (others && group === names.length - 1)) return [];
    const sum = sums[group].result();
    const ellipse =
      kind === 'hull' || sum.n < MIN_ELLIPSE_ROWS ? undefined : groupEllipse(sum, [0, 1], { kind, level });
    const corners = ellipse ? cornersOf(ellipse) : hulls[group];
    return corners.length < 3 ? [] : [{ group, points: Float64Array.from(corners.flat(), (value) => value * unit) }];
  });
}

/** n, mean and covariance of points, in one pass: with δ the distance of a point from the mean so far, S += (1 − 1/n)·δδᵀ. */
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
