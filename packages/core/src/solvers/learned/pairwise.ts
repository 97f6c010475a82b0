import type { Task } from '../../base/progress.js';
import { OptionError } from '../../errors.js';
import { random } from '../../linalg/random.js';
import { norm } from '../../linalg/vector.js';
import { largestVariance } from './largest-variance.js';
import { centrePoints, innerProducts, POINTS_STEP, pointsState, startPoints } from './moving-points.js';
import { optimiser } from './optimiser.js';
import { type Rule, type RuleControls, type RuleProblem, withPauses } from './rule.js';
import { StepSize } from './step-size.js';

/** Largest number of points for which all pairs are computed. Their distances take n²/2 numbers, 268 MB. */
const MOST_POINTS = 8192;
/** Prevents a division by a force of zero. */
const TINY = 1e-300;

/**
 * Forces between points. Eˣᵢⱼ = ‖xᵢ − xⱼ‖², Dˣ = LEˣL its double centring (subtract row means, then column means), Dʸ the same
 * for the embedding. Point i is moved by
 *
 *   F_X − F_Y = Σⱼ (Dˣᵢⱼ − Dʸᵢⱼ)(yᵢ − yⱼ),
 *
 * The sign of the coefficient decides whether point j pushes point i away (above 0) or pulls it (below 0). The exact gradient is
 * ∇f = −8·(F_X − F_Y), because Σⱼ Dˣᵢⱼ(yᵢ − yⱼ) = 2·(XcXcᵀY)ᵢ. O(n²·k) per epoch.
 */
export function* pairwiseRule(problem: RuleProblem, controls: RuleControls): Rule {
  const { n, d, k } = problem;
  if (n > MOST_POINTS) {
    throw new OptionError(
      'TOO_LARGE',
      `pairwise looks at all pairs of ${n} points; ${MOST_POINTS} points are the most. Use rule: 'factored': it takes the same steps without pairs.`,
      { option: 'learn.rule', value: n, expected: MOST_POINTS },
    );
  }
  const rng = random(problem.seed);
  const top = problem.top ?? (yield* largestVariance(d, rng));
  // Draws the same random numbers in the same order as `factored`, so that both rules start from the same points.
  const { product: rows } = yield { pass: 'rows' };
  const data = yield* withPauses(centredDistances(rows, n, d, top));
  const squares = sumOfSquares(data, n) / 4;
  const y = optimiser(controls.descent, startPoints(problem, rng, top), 1 / Math.sqrt(n));
  const size = new StepSize(y, controls, POINTS_STEP);
  for (;;) {
    // Forces do not move the mean. Adam does, because it rescales them.
    centrePoints(y.at, n, k);
    const forces = yield* withPauses(addForces(data, y.at, n, k));
    const { product: a } = yield { pass: 'multiplyTransposed', scores: y.at, k };
    const inner = yield* withPauses(innerProducts(y.at, n, k));
    const state = yield* withPauses(pointsState(a, inner, squares, top, d, k));
    const { attraction, repulsion, attracting } = forces;
    const { step } = size;
    const points = y.at.slice();
    const { advance, shorter } = size.judge(forces.loss, { settled: state.settled });
    yield {
      ...state,
      loss: forces.loss,
      terms: { ...state.terms, attraction, repulsion, attracting },
      step,
      points,
      slope: () => norm(forces.total) / 2,
      shorter,
    };
    if (advance) {
      const gradient = forces.total.map((force) => -force / 2);
      y.advance(gradient, step, controls.momentum);
    }
  }
}

/** A symmetric n × n matrix: its diagonal, and the entries above it row by row. */
interface Pairs {
  readonly diagonal: Float64Array;
  readonly above: Float64Array;
}

/** LEL/unit for the squared distances E between rows of length d. */
export function* centredDistances(rows: Float64Array, n: number, d: number, unit: number): Task<Pairs> {
  const above = new Float64Array((n * (n - 1)) / 2);
  const means = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    yield 3 * (n - i) * d;
    for (let j = i + 1; j < n; j++, at++) {
      let square = 0;
      for (let c = 0; c < d; c++) square += (rows[i * d + c] - rows[j * d + c]) ** 2;
      square /= unit;
      above[at] = square;
      means[i] += square / n;
      means[j] += square / n;
    }
  }
  const mean = means.reduce((sum, value) => sum + value / n, 0);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++, at++) above[at] += mean - means[i] - means[j];
  }
  return { diagonal: means.map((value) => mean - 2 * value), above };
}

function sumOfSquares({ diagonal, above }: Pairs, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += diagonal[i] ** 2;
  for (let at = 0; at < above.length; at++) sum += 2 * above[at] ** 2;
  return sum;
}

interface Forces {
  /** F_X − F_Y of each point (n × k). */
  readonly total: Float64Array;
  /** f(Y) = ‖Dˣ − Dʸ‖². */
  readonly loss: number;
  /** Σ|coefficient|·‖yᵢ − yⱼ‖ over the pairs that pull, and over those that push. */
  readonly attraction: number;
  readonly repulsion: number;
  /** Share of the pairs that pull. */
  readonly attracting: number;
}

/** Adds up the forces of all pairs, row by row above the diagonal. */
function* addForces(data: Pairs, y: Float64Array, n: number, k: number): Task<Forces> {
  const sums = new PairSums(data, y, n, k);
  for (let i = 0; i < n; i++) {
    yield 8 * (n - i) * k;
    sums.addForces(i);
  }
  return sums.forces();
}

/** Sums over pairs. Coordinates are in separate arrays, so that the loop over pairs contains no other loop. */
class PairSums {
  readonly #data: Pairs;
  readonly #n: number;
  readonly #coordinates: readonly Float64Array[];
  readonly #forces: readonly Float64Array[];
  readonly #means: Float64Array;
  readonly #mean: number;
  readonly #distances: Float64Array;
  readonly #coefficients: Float64Array;
  readonly #tally = new Float64Array(4);
  #diagonal = 0;

  constructor(data: Pairs, y: Float64Array, n: number, k: number) {
    this.#data = data;
    this.#n = n;
    this.#coordinates = Array.from({ length: k }, (_, c) => Float64Array.from({ length: n }, (_, i) => y[i * k + c]));
    this.#forces = this.#coordinates.map(() => new Float64Array(n));
    // The mean of row i of Eʸ, without computing its n entries: ‖yᵢ − ȳ‖² + mean ‖y − ȳ‖².
    this.#means = new Float64Array(n);
    for (const x of this.#coordinates) addDeviations(x, this.#means);
    const spread = this.#means.reduce((sum, value) => sum + value / n, 0);
    for (let i = 0; i < n; i++) this.#means[i] += spread;
    this.#mean = 2 * spread;
    this.#distances = new Float64Array(n);
    this.#coefficients = new Float64Array(n);
  }

  /** The forces between point i and those after it. */
  addForces(i: number): void {
    const n = this.#n;
    const { above, diagonal } = this.#data;
    const offset = this.#mean - this.#means[i];
    this.#diagonal += (diagonal[i] - (offset - this.#means[i])) ** 2;
    // Entry (i, j) above the diagonal is at start + j.
    const start = i * n - (i * (i + 1)) / 2 - i - 1;
    const row: PairRow = { i, n, above, start, means: this.#means, offset };
    const [x, y] = this.#coordinates;
    const [forceX, forceY] = this.#forces;
    if (this.#forces.length === 2) {
      addPairsInPlane(row, [x, y], [forceX, forceY], this.#tally);
      return;
    }
    this.#distances.fill(0, i + 1, n);
    for (const x of this.#coordinates) addSquares(x, i, n, this.#distances);
    addPairs(row, this.#distances, this.#coefficients, this.#tally);
    for (let c = 0; c < this.#forces.length; c++) {
      applyForces(this.#coordinates[c], this.#forces[c], this.#coefficients, i, n);
    }
  }

  forces(): Forces {
    const n = this.#n;
    const k = this.#forces.length;
    const total = new Float64Array(n * k);
    for (let c = 0; c < k; c++) for (let i = 0; i < n; i++) total[i * k + c] = this.#forces[c][i];
    const [squares, net, gross, signs] = this.#tally;
    const pairs = (n * (n - 1)) / 2;
    return {
      total,
      loss: this.#diagonal + 2 * squares,
      attraction: (gross - net) / 2,
      repulsion: (gross + net) / 2,
      attracting: (pairs - signs) / 2 / pairs,
    };
  }
}

/** The pairs (i, j) of one row, j > i. */
interface PairRow {
  readonly i: number;
  readonly n: number;
  /** Dˣ above the diagonal. Entry (i, j) is at start + j. */
  readonly above: Float64Array;
  readonly start: number;
  /** Dʸᵢⱼ = distance + offset − meansⱼ. */
  readonly means: Float64Array;
  readonly offset: number;
}

/**
 * Computes the coefficients Dˣ − Dʸ of the pairs (i, j), j > i. Adds to `tally` the sum of their squares, the net force, the
 * gross force and the sum of the signs. The signs are summed without a branch, which would be mispredicted half of the time.
 */
function addPairs(
  { i, n, above, start, means, offset }: PairRow,
  distances: Float64Array,
  coefficients: Float64Array,
  tally: Float64Array,
): void {
  let squares = 0;
  let net = 0;
  let gross = 0;
  let signs = 0;
  for (let j = i + 1; j < n; j++) {
    const coefficient = above[start + j] - (distances[j] + offset - means[j]);
    coefficients[j] = coefficient;
    squares += coefficient * coefficient;
    const force = coefficient * Math.sqrt(distances[j]);
    const strength = Math.abs(force);
    net += force;
    gross += strength;
    signs += force / (strength + TINY);
  }
  tally[0] += squares;
  tally[1] += net;
  tally[2] += gross;
  tally[3] += signs;
}

/** The same in one loop for two coordinates, which can be drawn: 2,000 points at 60 epochs per second. */
function addPairsInPlane(
  { i, n, above, start, means, offset }: PairRow,
  [x, y]: readonly [Float64Array, Float64Array],
  [forceX, forceY]: readonly [Float64Array, Float64Array],
  tally: Float64Array,
): void {
  const hereX = x[i];
  const hereY = y[i];
  let squares = 0;
  let net = 0;
  let gross = 0;
  let signs = 0;
  let sumX = 0;
  let sumY = 0;
  for (let j = i + 1; j < n; j++) {
    const wayX = hereX - x[j];
    const wayY = hereY - y[j];
    const square = wayX * wayX + wayY * wayY;
    const coefficient = above[start + j] - (square + offset - means[j]);
    squares += coefficient * coefficient;
    const force = coefficient * Math.sqrt(square);
    const strength = Math.abs(force);
    net += force;
    gross += strength;
    signs += force / (strength + TINY);
    const pushX = coefficient * wayX;
    const pushY = coefficient * wayY;
    sumX += pushX;
    sumY += pushY;
    forceX[j] -= pushX;
    forceY[j] -= pushY;
  }
  forceX[i] += sumX;
  forceY[i] += sumY;
  tally[0] += squares;
  tally[1] += net;
  tally[2] += gross;
  tally[3] += signs;
}

/** distances[j] += (xᵢ − xⱼ)² for all j after i. */
function addSquares(x: Float64Array, i: number, n: number, distances: Float64Array): void {
  const here = x[i];
  for (let j = i + 1; j < n; j++) {
    const way = here - x[j];
    distances[j] += way * way;
  }
}

/** out[i] += (xᵢ − x̄)². */
function addDeviations(x: Float64Array, out: Float64Array): void {
  const mean = x.reduce((sum, value) => sum + value / x.length, 0);
  for (let i = 0; i < x.length; i++) out[i] += (x[i] - mean) ** 2;
}

/** Adds the forces on i, and the opposite forces on all j > i, along one coordinate. */
function applyForces(x: Float64Array, force: Float64Array, coefficients: Float64Array, i: number, n: number): void {
  const here = x[i];
  let sum = 0;
  for (let j = i + 1; j < n; j++) {
    const pushed = coefficients[j] * (here - x[j]);
    sum += pushed;
    force[j] -= pushed;
  }
  force[i] += sum;
}
