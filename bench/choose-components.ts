import { chooseComponents } from '@scree/analysis';
import type { Matrix } from '@scree/core';
import { random } from './random.js';

/**
 * How often criteria find the true number of components, on simulated tables: `node bench/dist/choose-components.js [runs]`.
 *
 * A factor model has k orthonormal directions with variances ℓ·(1 + √(d/n))², ℓ times the Marchenko–Pastur edge of its noise of variance 1. Tables without
 * structure have k = 0. Scaled tables have unit variances. docs/guide/how-many-components.md has the table.
 */

interface Design {
  readonly name: string;
  readonly n: number;
  readonly d: number;
  /** Variances of the factors, in edges of the noise. */
  readonly factors: readonly number[];
  readonly scale: 'none' | 'unit';
  readonly noise?: 'normal' | 'heavy' | 'skewed' | 'unequal';
}

const shapes = [
  [200, 20],
  [500, 30],
  [100, 50],
  [60, 100],
] as const;
const designs: readonly Design[] = [
  ...shapes.flatMap(([n, d]): Design[] =>
    (['none', 'unit'] as const).flatMap((scale) => [
      { name: 'noise', n, d, factors: [], scale },
      { name: 'factors of 3, 2.5 and 2 edges', n, d, factors: [3, 2.5, 2], scale },
    ]),
  ),
  { name: 'noise, t with 4 degrees of freedom', n: 200, d: 20, factors: [], scale: 'none', noise: 'heavy' },
  { name: 'noise, exponential', n: 200, d: 20, factors: [], scale: 'none', noise: 'skewed' },
  { name: 'noise, variances from 1 to 100', n: 200, d: 20, factors: [], scale: 'none', noise: 'unequal' },
  { name: 'few columns: 3, 2.5 and 2 edges', n: 200, d: 8, factors: [3, 2.5, 2], scale: 'none' },
  { name: 'one strong factor: 20 and 2 edges', n: 200, d: 20, factors: [20, 2], scale: 'none' },
];

const CRITERIA = ['parallel', 'permutation', 'cross-validation'] as const;
const runs = Number(process.argv[2] ?? 100);
const only = process.argv[3];

for (const design of designs) {
  if (only && !design.name.startsWith(only)) continue;
  const right = { parallel: 0, permutation: 0, 'cross-validation': 0, choice: 0 };
  let above = 0;
  for (let run = 0; run < runs; run++) {
    const { k, criteria } = await chooseComponents(simulate(design, run), {
      scale: design.scale,
      criteria: CRITERIA,
      permutations: 199,
      seed: run,
    });
    for (const each of criteria) if (each.k === design.factors.length) right[each.name as (typeof CRITERIA)[number]]++;
    if (k === design.factors.length) right.choice++;
    if (k > design.factors.length) above++;
  }
  const share = (count: number): string => `${((100 * count) / runs).toFixed(1)} %`;
  const shown = Object.entries(right).map(([name, count]) => `${name} ${share(count)}`);
  console.log(
    `${design.n}×${design.d}, scale ${design.scale}, ${design.name}: ${shown.join(', ')}, too many ${share(above)}`,
  );
}

function simulate({ n, d, factors, noise = 'normal' }: Design, seed: number): Matrix {
  const { normal, uniform } = random(1e6 + seed);
  const edge = (1 + Math.sqrt(d / n)) ** 2;
  const draw = (column: number): number => {
    if (noise === 'heavy') {
      const chi = normal() ** 2 + normal() ** 2 + normal() ** 2 + normal() ** 2;
      return normal() / Math.sqrt(chi / 4) / Math.SQRT2;
    }
    if (noise === 'skewed') return -Math.log(1 - uniform());
    return noise === 'unequal' ? normal() * 10 ** (column / (d - 1)) : normal();
  };
  const data = new Float64Array(n * d);
  for (let at = 0; at < data.length; at++) data[at] = draw(at % d);
  const axes: Float64Array[] = [];
  for (const strength of factors) {
    const axis = new Float64Array(d).map(() => normal());
    for (const other of axes) {
      const overlap = other.reduce((sum, x, j) => sum + x * axis[j], 0);
      for (let j = 0; j < d; j++) axis[j] -= overlap * other[j];
    }
    const length = Math.sqrt(axis.reduce((sum, x) => sum + x * x, 0));
    for (let j = 0; j < d; j++) axis[j] /= length;
    axes.push(axis);
    for (let i = 0; i < n; i++) {
      const score = normal() * Math.sqrt(strength * edge - 1);
      for (let j = 0; j < d; j++) data[i * d + j] += score * axis[j];
    }
  }
  return { rows: n, cols: d, data };
}
