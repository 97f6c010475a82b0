import { bootstrap } from '@scree/analysis';
import type { Interval, Scale, Stability } from '@scree/core';
import { eigenOf, orthonormalRows, random } from '@scree/core/learn';

/**
 * How often 95 % intervals of the bootstrap contain the truth: rows are drawn from a distribution whose components are known, again
 * and again. Prints the table of docs/guide/how-sure.md. `node bench/dist/coverage.js [runs] [design …]`; SEED=2 draws other rows, ALL=1 prints
 * every component
 */

interface Design {
  readonly name: string;
  readonly n: number;
  readonly d: number;
  /** Each variance is this many times the next one. */
  readonly ratio: number;
  readonly k?: number;
  readonly scale?: Scale;
  /** The distribution of the uncorrelated numbers, of variance 1. */
  readonly tails?: 'normal' | 't5' | 'exponential';
  /** Whether the components are the columns themselves. */
  readonly axes?: 'columns';
  /** Whether to measure the loadings after a rotation of all components onto the sample's too. */
  readonly procrustes?: true;
}

const DESIGNS: readonly Design[] = [
  { name: 'normal-3', n: 100, d: 3, ratio: 1.5 },
  { name: 'normal-5', n: 100, d: 5, ratio: 1.5, k: 3, procrustes: true },
  { name: 'normal-5-all', n: 100, d: 5, ratio: 1.5 },
  { name: 'normal-5-columns', n: 100, d: 5, ratio: 1.5, axes: 'columns' },
  { name: 'normal-10', n: 100, d: 10, ratio: 1.5 },
  { name: 'normal-20', n: 100, d: 20, ratio: 1.5, k: 10 },
  { name: 'normal-20-all', n: 100, d: 20, ratio: 1.5 },
  { name: 'normal-10-200', n: 200, d: 10, ratio: 1.5 },
  { name: 'normal-5-500', n: 500, d: 5, ratio: 2 },
  { name: 'normal-5-1000', n: 1000, d: 5, ratio: 1.5 },
  { name: 'unit-5', n: 200, d: 5, ratio: 3, scale: 'unit' },
  { name: 'unit-5-100', n: 100, d: 5, ratio: 1.5, scale: 'unit' },
  { name: 'unit-10-100', n: 100, d: 10, ratio: 1.5, scale: 'unit' },
  { name: 'unit-4-25', n: 25, d: 4, ratio: 3, scale: 'unit' },
  { name: 'unit-4-13', n: 13, d: 4, ratio: 3, scale: 'unit' },
  { name: 'unit-skewed', n: 100, d: 5, ratio: 1.5, scale: 'unit', tails: 'exponential' },
  { name: 'small-20', n: 20, d: 5, ratio: 1.5 },
  { name: 'small-50', n: 50, d: 5, ratio: 1.5 },
  { name: 'close-1.2', n: 100, d: 5, ratio: 1.2 },
  { name: 'close-1.05', n: 100, d: 5, ratio: 1.05 },
  { name: 'heavy-100', n: 100, d: 5, ratio: 1.5, tails: 't5' },
  { name: 'heavy-1000', n: 1000, d: 5, ratio: 1.5, tails: 't5' },
  { name: 'skewed-100', n: 100, d: 5, ratio: 1.5, tails: 'exponential' },
];

/** Hits of one component. */
interface Hits {
  variances: number;
  ratios: number;
  loadings: number;
  correlations: number;
  percentiles: number;
  anderson: number;
  procrustes: number;
}

const DRAW = {
  normal: (rng: ReturnType<typeof random>): number => rng.normal(),
  /** Student's t with 5 degrees of freedom, of variance 1. */
  t5: (rng: ReturnType<typeof random>): number => {
    let square = 0;
    for (let i = 0; i < 5; i++) square += rng.normal() ** 2;
    return (rng.normal() / Math.sqrt(square / 5)) * Math.sqrt(3 / 5);
  },
  exponential: (rng: ReturnType<typeof random>): number => -Math.log(1 - rng.uniform()) - 1,
};

const given = process.argv.slice(2);
const runs = Number(given[0] ?? 1000);
const chosen = DESIGNS.filter(({ name }) => given.length < 2 || given.slice(1).includes(name));
console.log(`| rows × columns | ratio | | variances | shares | loadings | percentiles | Anderson | Procrustes |`);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const design of chosen) console.log(await measure(design));

async function measure(design: Design): Promise<string> {
  const { n, d, ratio, scale = 'none', tails = 'normal', k = d } = design;
  const rng = random(Number(process.env.SEED ?? 1));
  const deviations = Float64Array.from({ length: d }, (_, i) => Math.sqrt(ratio ** (d - 1 - i)));
  const basis = new Float64Array(d * d).map((_, at) => (design.axes ? (at % (d + 1) === 0 ? 1 : 0) : rng.normal()));
  const mixing = design.axes ? basis : orthonormalRows(basis, d, d);
  const truth = truthOf(mixing, deviations, d, k, scale);
  const hits = Array.from(
    { length: k },
    (): Hits => ({ variances: 0, ratios: 0, loadings: 0, correlations: 0, percentiles: 0, anderson: 0, procrustes: 0 }),
  );
  for (let run = 1; run <= runs; run++) {
    const data = new Float64Array(n * d);
    for (let i = 0; i < n; i++) {
      for (let l = 0; l < d; l++) {
        const z = deviations[l] * DRAW[tails](rng);
        for (let j = 0; j < d; j++) data[i * d + j] += z * mixing[l * d + j];
      }
    }
    const options = { k, scale, seed: run, threads: 1 };
    const found = await bootstrap({ rows: n, cols: d, data }, options);
    const rotated = design.procrustes
      ? await bootstrap({ rows: n, cols: d, data }, { ...options, alignment: 'procrustes' })
      : undefined;
    for (const [i, hit] of hits.entries()) count(hit, i, found, rotated, truth, d);
  }
  const share = (name: keyof Hits): string => range(hits.map((hit) => (100 * hit[name]) / runs));
  const about = [
    scale === 'none' ? '' : `scale: '${scale}'`,
    tails === 'normal' ? '' : tails,
    design.axes ? 'axes are columns' : '',
  ]
    .filter(Boolean)
    .join(', ');
  return `| ${n} × ${d}${k < d ? `, first ${k}` : ''} | ${ratio} | ${about} | ${share('variances')} | ${share('ratios')} | ${share('loadings')} | ${share('percentiles')} | ${share('anderson')} | ${design.procrustes ? share('procrustes') : ''} | <!-- correlations ${share('correlations')} -->`;
}

interface Truth {
  readonly variances: Float64Array;
  readonly total: number;
  readonly loadings: Float64Array;
  readonly deviations: Float64Array;
}

/** The components of the distribution itself, after scaling. */
function truthOf(mixing: Float64Array, deviations: Float64Array, d: number, k: number, scale: Scale): Truth {
  const covariance = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      for (let l = 0; l < d; l++) covariance[i * d + j] += deviations[l] ** 2 * mixing[l * d + i] * mixing[l * d + j];
    }
  }
  const sizes = Float64Array.from({ length: d }, (_, j) => Math.sqrt(covariance[j * d + j]));
  const scaled = covariance.map((value, at) =>
    scale === 'unit' ? value / sizes[Math.floor(at / d)] / sizes[at % d] : value,
  );
  const { values, vectors } = eigenOf(scaled, d);
  return {
    variances: values,
    total: values.reduce((sum, value) => sum + value, 0),
    loadings: vectors.slice(0, k * d).map((entry, at) => Math.sqrt(values[Math.floor(at / d)]) * entry),
    deviations: scale === 'unit' ? new Float64Array(d).fill(1) : sizes,
  };
}

function count(hit: Hits, i: number, found: Stability, rotated: Stability | undefined, truth: Truth, d: number): void {
  const holds = ([low, high]: Interval, value: number): number => (low <= value && value <= high ? 1 : 0);
  hit.variances += holds(found.variances[i], truth.variances[i]);
  hit.ratios += holds(found.ratios[i], truth.variances[i] / truth.total);
  hit.percentiles += holds(found.percentiles.variances[i], truth.variances[i]);
  hit.anderson += holds(found.asymptotic.variances[i], truth.variances[i]);
  // The sign of the truth is that of the sample.
  let product = 0;
  for (let j = 0; j < d; j++)
    product += truth.loadings[i * d + j] * (found.loadings.low[i * d + j] + found.loadings.high[i * d + j]);
  for (let j = 0; j < d; j++) {
    const at = i * d + j;
    const loading = product < 0 ? -truth.loadings[at] : truth.loadings[at];
    hit.loadings += holds([found.loadings.low[at], found.loadings.high[at]], loading) / d;
    if (rotated) hit.procrustes += holds([rotated.loadings.low[at], rotated.loadings.high[at]], loading) / d;
    hit.correlations +=
      holds([found.correlations.low[at], found.correlations.high[at]], loading / truth.deviations[j]) / d;
  }
}

/** The smallest and the largest of the components. */
function range(shares: readonly number[]): string {
  return process.env.ALL
    ? shares.map((share) => share.toFixed(1)).join(' ')
    : `${Math.min(...shares).toFixed(1)}–${Math.max(...shares).toFixed(1)} %`;
}
