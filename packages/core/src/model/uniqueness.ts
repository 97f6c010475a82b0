import type { Solution } from '../solvers/solver.js';
import { type Accuracy, wedin } from './certificate.js';
import type { Warning } from './warning.js';

/** Whether the data determine what was found, apart from signs. Seed 004's exercise, answered for every fit. */
export interface Uniqueness {
  /** Components whose variance is above zero as far as the data and the solver can tell. */
  readonly rank: number;
  readonly subspace: Determination;
  /** One for each component: is this axis the only one that fits? */
  readonly axes: readonly Determination[];
}

export interface Determination {
  readonly determined: boolean;
  /** Distance to the nearest other variance (for the subspace λ_k − λ_{k+1}); null when there is no other. */
  readonly gap: number | null;
  /** How far, in radians, changing the data in the last digit they are stored with could turn it; π/2 is any direction. */
  readonly noiseAngle: number;
}

/** A turn of 0.1 rad (6°) is where we stop calling an axis determined. */
const LOOSE = 0.1;

export interface Judgement {
  readonly uniqueness: Uniqueness;
  readonly warnings: readonly Warning[];
}

/**
 * An axis is determined when its variance differs from every other by more than the last digit of the data, and the
 * rounding of the solver, can account for. `noise` bounds ‖ΔB‖ when every number is changed by half a unit in its last
 * place; it moves singular values by at most as much and turns vectors by Wedin's bound.
 */
export function judgeUniqueness(
  solution: Solution,
  accuracy: Accuracy,
  noise: number,
  toVariance: number,
  solverName: string,
): Judgement {
  const { k, values, next } = solution;
  const { angleBounds, subspaceAngleBound } = accuracy.certificate;
  const roots = Array.from(values, (value) => Math.sqrt(Math.max(0, value)));
  const nextRoot = next ? Math.sqrt(next.value) : undefined;
  let rank = 0;
  while (rank < k && values[rank] > accuracy.valueBounds[rank] && roots[rank] > noise) rank++;

  const axes = roots.map((root, i): Determination => {
    const others = [roots[i - 1], i + 1 < k ? roots[i + 1] : nextRoot].filter((other) => other !== undefined);
    const near = [values[i - 1], i + 1 < k ? values[i + 1] : next?.value].filter((other) => other !== undefined);
    const rootGap = Math.min(...others.map((other) => Math.abs(root - other)));
    const noiseAngle = Math.asin(Math.min(1, wedin(noise, rootGap)));
    return {
      determined: i < rank && noiseAngle + angleBounds[i] < LOOSE,
      gap: near.length === 0 ? null : Math.min(...near.map((other) => Math.abs(values[i] - other))) * toVariance,
      noiseAngle: i < rank ? noiseAngle : Math.PI / 2,
    };
  });
  const subspaceNoise = next ? Math.asin(Math.min(1, wedin(noise, roots[k - 1] - (nextRoot ?? 0)))) : 0;
  const subspace: Determination = {
    determined: next === undefined || (rank === k && subspaceNoise + subspaceAngleBound < LOOSE),
    gap: next ? Math.max(0, values[k - 1] - next.value) * toVariance : null,
    noiseAngle: next && rank < k ? Math.PI / 2 : subspaceNoise,
  };
  const uniqueness = { rank, subspace, axes };
  return { uniqueness, warnings: describe(uniqueness, solution, accuracy, noise, toVariance, solverName) };
}

/** The same in words. Components are counted from 1, as people do. */
function describe(
  { rank, subspace, axes }: Uniqueness,
  solution: Solution,
  accuracy: Accuracy,
  noise: number,
  toVariance: number,
  solverName: string,
): Warning[] {
  const { k, values, next } = solution;
  const warnings: Warning[] = [];
  if (values[0] <= 0 || rank === 0) return warnings;
  if (rank < k) {
    warnings.push({
      code: 'RANK_BELOW_K',
      message:
        `Only ${rank} of the ${k} components have variance that can be told from zero. ` +
        `${components(rank, k - 1)} ${rank + 1 === k ? 'is some direction' : 'are some directions'} orthogonal to the others, ` +
        `not determined by the data. Use k ≤ ${rank}` +
        `${solverName === 'svd' ? '.' : ", or solver: 'svd' if you expect variances this small."}`,
    });
  }
  // Neighbours that cannot be told apart form runs; the run that reaches past k costs the subspace its uniqueness.
  const same = (i: number): boolean => {
    const below = i + 1 < k ? values[i + 1] : next?.value;
    if (below === undefined || i >= rank) return false;
    const blur = accuracy.valueBounds[i] + (i + 1 < k ? accuracy.valueBounds[i + 1] : accuracy.nextBound);
    const gap = values[i] - below;
    const noiseAngle = Math.asin(Math.min(1, wedin(noise, Math.sqrt(values[i]) - Math.sqrt(Math.max(0, below)))));
    return noiseAngle >= LOOSE || blur >= LOOSE * gap;
  };
  const variance = (i: number): string => (values[i] * toVariance).toPrecision(6);
  for (let first = 0; first < rank; ) {
    let last = first;
    while (last < rank && same(last)) last++;
    if (last >= k) {
      warnings.push({
        code: 'SUBSPACE_NOT_UNIQUE',
        message:
          `Component ${k} and the one after it have the same variance (${variance(k - 1)}) as far as the data can tell, ` +
          `so which ${k}-dimensional subspace is best is not determined. ` +
          `${first > 0 ? `Use k = ${first}, or a larger k` : 'Use a larger k'} that takes in all components of that variance.`,
      });
    }
    const end = Math.min(last, k - 1);
    if (end > first) {
      warnings.push({
        code: 'AXES_NOT_UNIQUE',
        message:
          `${components(first, end)} have the same variance (${variance(first)}) as far as the data can tell: ` +
          `the space they span together is determined${last >= k ? ' only with those after them' : ''}, ` +
          `but any rotation of these axes inside it fits equally well.`,
      });
    }
    first = last + 1;
  }
  const unsure = axes.findIndex((axis, i) => i < rank && !axis.determined && axis.noiseAngle < LOOSE / 2);
  if (unsure >= 0 && warnings.length === 0) {
    warnings.push({
      code: 'BELOW_ACCURACY',
      message:
        `Component ${unsure + 1} has a variance of ${variance(unsure)}, so small beside the largest that the ${solverName} solver ` +
        `knows its direction only to ${((accuracy.certificate.angleBounds[unsure] * 180) / Math.PI).toPrecision(2)}°. ` +
        `${solverName === 'svd' ? 'Scale the columns' : "Use solver: 'svd', or scale the columns"}.`,
    });
  }
  if (!subspace.determined && warnings.length === 0) {
    warnings.push({
      code: 'SUBSPACE_NOT_UNIQUE',
      message: `The gap between component ${k} and the one after it is too small to be sure of the subspace.`,
    });
  }
  return warnings;
}

/** "Component 3", "Components 3 and 4", "Components 3 to 7", from indices counted from 0. */
function components(first: number, last: number): string {
  if (first === last) return `Component ${first + 1}`;
  return `Components ${first + 1} ${last === first + 1 ? 'and' : 'to'} ${last + 1}`;
}
