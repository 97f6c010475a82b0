import { OptionError } from '../errors.js';
import { random } from '../linalg/random.js';
import { largestVariance } from './largest-variance.js';
import { innerProducts, STEP, standOf, startPoints } from './moving-points.js';
import { optimiser } from './optimiser.js';
import type { Controls, Facts, Rule } from './rule.js';
import { StepSize } from './step-size.js';

/** Most points that all pairs are looked at of: their distances take half of n² numbers, 268 MB. */
const MOST_POINTS = 8192;
/** Pairs between two places to breathe. */
const BREATH = 1 << 20;

/**
 * Forces between points. Eˣᵢⱼ = ‖xᵢ − xⱼ‖², Dˣ = LEˣL its double centring (row means taken off, then column means), Dʸ the same of
 * the embedding. Point i is moved by
 *
 *   F_X − F_Y = Σⱼ (Dˣᵢⱼ − Dʸᵢⱼ)(yᵢ − yⱼ),
 *
 * the coefficient of each pair deciding whether j pushes i away (above 0) or pulls it (below). The exact gradient is
 * ∇f = −8·(F_X − F_Y), because Σⱼ Dˣᵢⱼ(yᵢ − yⱼ) = 2·(XcXcᵀY)ᵢ. O(n²·k) an epoch.
 */
export function* pairwise(facts: Facts, controls: Controls): Rule {
  const { n, d, k } = facts;
  if (n > MOST_POINTS) {
    throw new OptionError(
      'TOO_LARGE',
      `pairwise looks at all pairs of ${n} points; ${MOST_POINTS} points are the most. Use rule: 'factored': it takes the same steps without pairs.`,
      { option: 'learn.rule', value: n, expected: MOST_POINTS },
    );
  }
  const rng = random(facts.seed);
  const top = yield* largestVariance(d, rng);
  // The same numbers are drawn in the same order as by `factored`, so that both start from the same points.
  const { product: rows } = yield { pass: 'rows' };
  const data = yield* centredDistances(rows, n, d, top);
  const squares = sumOfSquares(data, n) / 4;
  const y = optimiser(controls.descent, startPoints(n, k, rng), 1 / Math.sqrt(n));
  const size = new StepSize(y, controls, STEP);
  for (;;) {
    const forces = yield* addForces(data, y.at, n, k);
    const { product: a } = yield { pass: 'multiplyTransposed', scores: y.at, k };
    const state = standOf(a, innerProducts(y.at, n, k), squares, top, d, k);
    const { attraction, repulsion, attracting } = forces;
    const step = size.step;
    const verdict = size.judge(forces.loss);
    yield {
      ...state,
      loss: forces.loss,
      terms: { ...state.terms, attraction, repulsion, attracting },
      step,
      points: y.at,
      diverged: verdict === 'diverged',
    };
    if (verdict === 'go on') {
      const gradient = forces.total.map((force) => -force / 2);
      y.advance(gradient, step, controls.momentum);
    }
  }
}

/** A symmetric n × n matrix: its diagonal, and what is above it row by row. */
interface Pairs {
  readonly diagonal: Float64Array;
  readonly above: Float64Array;
}

/** LEL for the squared distances of rows of length d, divided by `unit`. */
export function* centredDistances(
  rows: Float64Array,
  n: number,
  d: number,
  unit: number,
): Generator<{ readonly pass: 'pause' }, Pairs, unknown> {
  const above = new Float64Array((n * (n - 1)) / 2);
  const means = new Float64Array(n);
  for (let i = 0, at = 0, worked = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++, at++) {
      let square = 0;
      for (let c = 0; c < d; c++) square += (rows[i * d + c] - rows[j * d + c]) ** 2;
      square /= unit;
      above[at] = square;
      means[i] += square / n;
      means[j] += square / n;
    }
    worked += (n - i) * d;
    if (worked > BREATH) {
      worked = 0;
      yield { pass: 'pause' };
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
  /** F_X − F_Y of every point (n × k). */
  readonly total: Float64Array;
  /** f(Y) = ‖Dˣ − Dʸ‖². */
  readonly loss: number;
  /** Σ|coefficient|·‖yᵢ − yⱼ‖ over the pairs that pull, and over those that push. */
  readonly attraction: number;
  readonly repulsion: number;
  /** Share of the pairs that pull. */
  readonly attracting: number;
}

/** Adds up the forces of all pairs. Coordinates are kept apart, so that the loop over pairs has no loop inside. */
function* addForces(
  data: Pairs,
  y: Float64Array,
  n: number,
  k: number,
): Generator<{ readonly pass: 'pause' }, Forces, unknown> {
  const coordinates = Array.from({ length: k }, (_, c) => Float64Array.from({ length: n }, (_, i) => y[i * k + c]));
  const forces = coordinates.map(() => new Float64Array(n));
  const means = new Float64Array(n);
  const distances = new Float64Array(n);
  const measure = (i: number): void => {
    distances.fill(0, i + 1, n);
    for (const x of coordinates) {
      const here = x[i];
      for (let j = i + 1; j < n; j++) distances[j] += (here - x[j]) * (here - x[j]);
    }
  };
  for (let i = 0, worked = 0; i < n; i++) {
    measure(i);
    let sum = 0;
    for (let j = i + 1; j < n; j++) {
      sum += distances[j];
      means[j] += distances[j];
    }
    means[i] += sum;
    worked += n - i;
    if (worked > BREATH) {
      worked = 0;
      yield { pass: 'pause' };
    }
  }
  let mean = 0;
  for (let i = 0; i < n; i++) {
    means[i] /= n;
    mean += means[i] / n;
  }
  let [loss, attraction, repulsion, pulls] = [0, 0, 0, 0];
  const coefficients = new Float64Array(n);
  for (let i = 0, at = 0, worked = 0; i < n; i++) {
    loss += (data.diagonal[i] - (mean - 2 * means[i])) ** 2;
    measure(i);
    const offset = mean - means[i];
    for (let j = i + 1; j < n; j++, at++) {
      const coefficient = data.above[at] - (distances[j] + offset - means[j]);
      coefficients[j] = coefficient;
      loss += 2 * coefficient * coefficient;
      const force = coefficient * Math.sqrt(distances[j]);
      if (force < 0) {
        attraction -= force;
        pulls++;
      } else repulsion += force;
    }
    for (let c = 0; c < k; c++) {
      const x = coordinates[c];
      const force = forces[c];
      const here = x[i];
      let sum = 0;
      for (let j = i + 1; j < n; j++) {
        const push = coefficients[j] * (here - x[j]);
        sum += push;
        force[j] -= push;
      }
      force[i] += sum;
    }
    worked += n - i;
    if (worked > BREATH) {
      worked = 0;
      yield { pass: 'pause' };
    }
  }
  const total = new Float64Array(n * k);
  for (let i = 0; i < n; i++) for (let c = 0; c < k; c++) total[i * k + c] = forces[c][i];
  return { total, loss, attraction, repulsion, attracting: (2 * pulls) / (n * (n - 1)) };
}
