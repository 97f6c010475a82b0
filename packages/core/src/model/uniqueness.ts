import type { SolverName } from '../solvers/names.js';
import { SOLVERS } from '../solvers/registry.js';
import type { Solution } from '../solvers/solver.js';
import type { Warning } from '../warning.js';
import { type Accuracy, angle } from './certificate.js';

/** Says if the solution is the only one for these rows, apart from signs. Another sample of rows is the subject of `Stability`. */
export interface Uniqueness {
  /** Number of components whose variance is certainly above zero, given the rounding of the data and of the solver. */
  readonly rank: number;
  readonly subspace: Determination;
  /** One per component: is this axis the only one that fits? */
  readonly axes: readonly Determination[];
}

/** Says whether the data determine an axis or a subspace. */
export interface Determination {
  readonly determined: boolean;
  /** Distance to the nearest other variance, for the subspace λ_k − λ_{k+1}. null if k = d = 1, or for the subspace if k = d. */
  readonly gap: number | null;
  /**
   * Largest rotation, in radians, if every number changes by half a unit in its last place (float64 or float32). π/2 means any
   * direction.
   */
  readonly noiseAngle: number;
}

export interface UniquenessAssessment {
  readonly uniqueness: Uniqueness;
  readonly warnings: readonly Warning[];
}

/** An axis is not determined if it may be rotated by 0.1 rad (6°) or more. */
const UNCLEAR_ANGLE = 0.1;

/** Two neighbouring components: their distance, and the rotations that may mix them. */
interface Pair {
  readonly gap: number;
  /** Largest rotation by changes in the last digit of the data. */
  readonly noise: number;
  /** Largest rotation by the rounding of the solver. */
  readonly solver: number;
}

/**
 * An axis is determined if its variance differs from those of its neighbours by more than rounding can explain: the rounding of
 * the data to their last digit, and that of the solver.
 *
 * `noise[j]` = eⱼ is the norm of the change of column j if each of its numbers changes by half a unit in its last place. The
 * singular value of v then changes by at most ν = Σⱼ eⱼ|vⱼ|. A vector v and its neighbour v' are mixed by a rotation of about
 * (σν' + σ'ν)/(σ² − σ'²). This is first-order perturbation theory of the SVD, with the worst signs. So a column far from the
 * origin affects only the components that contain it.
 */
export function assessUniqueness(
  solution: Solution,
  accuracy: Accuracy,
  {
    d,
    noise,
    plan,
  }: { readonly d: number; readonly noise: Float64Array; readonly plan: { readonly solver: SolverName } },
  toVariance: number,
): UniquenessAssessment {
  const { k, values, next } = solution;
  const blurs = componentBlurs(solution, noise, d);
  let rank = 0;
  while (rank < k && values[rank] > accuracy.below[rank] && Math.sqrt(values[rank]) > blurs[rank]) rank++;

  const pairs: Pair[] = [];
  for (let i = 0; i < accuracy.turns.length; i++) {
    const a = Math.sqrt(Math.max(0, values[i]));
    const b = Math.sqrt(Math.max(0, i + 1 < k ? values[i + 1] : (next?.value ?? 0)));
    const blur = a > b ? (a * blurs[i + 1] + b * blurs[i]) / ((a - b) * (a + b)) : 1;
    pairs.push({ gap: (a - b) * (a + b) * toVariance, noise: angle(blur), solver: accuracy.turns[i] });
  }
  /** Returns true if the direction is known: it has variance, or it is the only direction without variance. */
  const spanned = (i: number): boolean => i < rank || d - rank === 1;
  const axes: Determination[] = [];
  for (let i = 0; i < k; i++) {
    let determined = spanned(i);
    let gap: number | null = null;
    let noiseAngle = determined ? 0 : Math.PI / 2;
    for (let side = Math.max(0, i - 1); side <= i && side < pairs.length; side++) {
      const pair = pairs[side];
      determined &&= clear(pair);
      gap = Math.max(0, Math.min(gap ?? pair.gap, pair.gap));
      if (spanned(i)) noiseAngle = Math.max(noiseAngle, pair.noise);
    }
    axes.push(Object.freeze({ determined, gap, noiseAngle }));
  }
  const last = next ? pairs[k - 1] : undefined;
  const subspace: Determination = Object.freeze({
    determined: last === undefined || (rank === k && clear(last)),
    gap: last ? Math.max(0, last.gap) : null,
    noiseAngle: last ? (rank === k ? last.noise : Math.PI / 2) : 0,
  });
  const variance = (i: number): string => (values[i] * toVariance).toPrecision(6);
  // If rank < k, the rank warning already covers the pair of the last component with variance and the first one without.
  const told = pairs.slice(0, rank < k ? Math.max(0, rank - 1) : rank);
  const warnings = [
    ...rankWarnings(rank, k, d, plan.solver),
    ...pairWarnings(told, k, variance),
    ...accuracyWarnings(told, k, variance, plan.solver),
  ];
  return { uniqueness: Object.freeze({ rank, subspace, axes: Object.freeze(axes) }), warnings };
}

function clear({ noise, solver }: Pair): boolean {
  return noise + solver < UNCLEAR_ANGLE;
}

/** ν of each component, and an upper bound on ν of the next direction. */
function componentBlurs({ k, basis, next }: Solution, noise: Float64Array, d: number): number[] {
  const blurs: number[] = [];
  const left = new Float64Array(d).fill(1);
  for (let i = 0; i < k; i++) {
    let blur = 0;
    for (let j = 0; j < d; j++) {
      const entry = basis[i * d + j];
      blur += noise[j] * Math.abs(entry);
      left[j] -= entry * entry;
    }
    blurs.push(blur);
  }
  if (next) {
    // A unit vector orthogonal to the components has |vⱼ| ≤ √(1 − Σᵢ vᵢⱼ²).
    let sum = 0;
    let square = 0;
    for (let j = 0; j < d; j++) {
      const most = noise[j] * Math.sqrt(Math.max(0, left[j]));
      sum += most;
      square += noise[j] * noise[j];
    }
    blurs.push(Math.min(sum, Math.sqrt(square)));
  }
  return blurs;
}

function rankWarnings(rank: number, k: number, d: number, solver: SolverName): Warning[] {
  if (rank === k) return [];
  const precise = SOLVERS[solver].precise === true;
  const remedy = precise ? '' : ", or solver: 'svd' if you expect variances this small";
  const found = rank === 0 ? 'None' : `Only ${rank}`;
  const some = `${found} of the ${k} components ${rank > 1 ? 'have' : 'has'} variance that can be told from zero.`;
  const rest =
    d - rank === 1
      ? `${components(rank, k - 1)} is the one direction orthogonal to the others.`
      : `${components(rank, k - 1)} ${rank + 1 === k ? 'is some direction' : 'are some directions'} orthogonal to the others, not determined by the data.`;
  const advice =
    rank === 0 ? 'The data vary by no more than the rounding of their own numbers' : `Use k ≤ ${rank}${remedy}`;
  return [{ code: 'RANK_BELOW_K', message: `${some} ${rest} ${advice}.`, details: { rank, k, d, solver, precise } }];
}

/** Neighbouring components that the data do not separate form runs. If a run reaches past k, the subspace is not unique. */
function pairWarnings(pairs: readonly Pair[], k: number, variance: (i: number) => string): Warning[] {
  const warnings: Warning[] = [];
  for (let first = 0; first < pairs.length; first++) {
    let last = first;
    while (last < pairs.length && pairs[last].noise >= UNCLEAR_ANGLE) last++;
    if (last === first) continue;
    const crosses = last === k;
    if (crosses) {
      warnings.push({
        code: 'SUBSPACE_NOT_UNIQUE',
        message:
          `Component ${k} and the one after it have the same variance (${variance(k - 1)}) as far as rounding can tell, ` +
          `so the best ${k}-dimensional subspace is not unique. ` +
          `${first > 0 ? `Use k = ${first}, or a larger k` : 'Use a larger k'} that includes all components of that variance.`,
      });
    }
    const end = crosses ? k - 1 : last;
    if (end > first) {
      warnings.push({
        code: 'AXES_NOT_UNIQUE',
        message:
          `${components(first, end)} have the same variance (${variance(first)}) as far as rounding can tell: ` +
          `the space they span together is unique${crosses ? ' only with those after them' : ''}, ` +
          `but any rotation of these axes inside it fits equally well.`,
      });
    }
    first = last;
  }
  return warnings;
}

/** Warnings about components that the data determine, but that this solver is not accurate enough to separate. */
function accuracyWarnings(
  pairs: readonly Pair[],
  k: number,
  variance: (i: number) => string,
  solver: SolverName,
): Warning[] {
  const unsure = pairs.findIndex(({ noise, solver }) => noise < UNCLEAR_ANGLE && noise + solver >= UNCLEAR_ANGLE);
  if (unsure < 0) return [];
  const turn = Math.min(90, (pairs[unsure].solver * 180) / Math.PI).toPrecision(2);
  const { accuracy, precise } = SOLVERS[solver];
  const { limit, remedy } = accuracy;
  return [
    {
      code: 'BELOW_ACCURACY',
      message:
        `From component ${unsure + 1}${unsure + 1 === k ? '' : ' on'} (variance ${variance(unsure)}) the ${solver} solver may have turned neighbouring ` +
        `axes into one another by up to ${turn}°: their variances are too close, or too small beside the largest, for its ${limit}. ` +
        `${remedy}.`,
      details: {
        component: unsure,
        variance: Number(variance(unsure)),
        degrees: Number(turn),
        solver,
        precise: precise === true,
      },
    },
  ];
}

/** "Component 3", "Components 3 and 4", "Components 3 to 7", from indices counted from 0. */
function components(first: number, last: number): string {
  if (first === last) return `Component ${first + 1}`;
  return `Components ${first + 1} ${last === first + 1 ? 'and' : 'to'} ${last + 1}`;
}
