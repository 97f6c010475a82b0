import { tailChiSquared, tailF } from '../statistics/distributions.js';

/** Two-sided p-value of a correlation r among n rows, as if both were normal: t = r·√((n − 2)/(1 − r²)) has n − 2 degrees of freedom. */
export function correlationPValue(r: number, n: number): number {
  if (Number.isNaN(r) || !(n > 2)) return Number.NaN;
  return tailF((r * r * (n - 2)) / (1 - r * r), 1, n - 2);
}

/** p-value of η² between `levels` groups of n rows together: the F test of a one-way analysis of variance. */
export function eta2PValue(eta2: number, levels: number, n: number): number {
  if (Number.isNaN(eta2) || levels < 2 || !(n > levels)) return Number.NaN;
  return tailF(eta2 / (levels - 1) / ((1 - eta2) / (n - levels)), levels - 1, n - levels);
}

/** Two-sided p-value of a v-test, which is standard normal if the rows of a group are drawn from all rows at random. */
export function vTestPValue(vTest: number): number {
  return Number.isNaN(vTest) ? Number.NaN : tailChiSquared(vTest * vTest, 1);
}

/**
 * p-values adjusted for their number by Holm's (1979) method: rejecting those below α keeps the probability of rejecting any true
 * hypothesis below α, even for dependent tests. NaN stays NaN and does not count.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.flatMap((p, i) => (Number.isNaN(p) ? [] : [i])).sort((i, j) => pValues[i] - pValues[j]);
  const adjusted = pValues.map(() => Number.NaN);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (order.length - rank) * pValues[i]));
    adjusted[i] = largest;
  });
  return adjusted;
}
