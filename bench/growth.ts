import { readArguments } from './arguments.js';
import { mixture } from './data.js';
import { environment } from './environment.js';
import { milliseconds } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { type GrowthResult, save } from './results.js';
import { findEngines, scree } from './scree.js';
import { Peer } from './sklearn.js';
import { store } from './stored.js';
import { temporaryFolder } from './temporary.js';

/** How time grows with rows, columns and components: one is varied, the others stay. Saves the result. */

const SWEEPS = [
  {
    varied: 'n',
    sizes: [10_000, 20_000, 40_000, 80_000],
    at: (n: number) => ({ n, d: 200, k: 10 }),
    fixed: 'd = 200, k = 10',
  },
  {
    varied: 'd',
    sizes: [100, 200, 400, 800],
    at: (d: number) => ({ n: 10_000, d, k: 10 }),
    fixed: 'n = 10,000, k = 10',
  },
  {
    varied: 'k',
    sizes: [5, 10, 20, 40, 80],
    at: (k: number) => ({ n: 10_000, d: 400, k }),
    fixed: 'n = 10,000, d = 400',
  },
] as const;

type Curve = GrowthResult['curves'][number];

const { threads, engines: names, quick } = readArguments(process.argv.slice(2));
const skipped: string[] = [];
const skip = (why: string): void => {
  skipped.push(why);
  console.log(`  !! ${why}`);
};
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 3, most: 7, budget: 3 };
const engines = await findEngines(names, threads, skip);
const peer = Peer.start(threads);
if (!peer) skip('scikit-learn is not set up: it is left out');
const folder = temporaryFolder();
const curves: Curve[] = [];
for (const sweep of SWEEPS) curves.push(...(await measure(sweep)));
save('growth', { environment: await environment(threads, peer), curves, skipped }, quick);
process.exit();

async function measure({ varied, sizes, at, fixed }: (typeof SWEEPS)[number]): Promise<Curve[]> {
  const points = new Map<string, { size: number; milliseconds: number; solver?: string }[]>();
  for (const size of sizes) {
    const { n, d, k } = at(size);
    const data = mixture({ rows: n, cols: d, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
    store(folder, data);
    await peer?.load(folder);
    const contenders = [
      ...engines.map((engine) => scree(data, k, engine)),
      ...(peer ? [peer.contender('auto', k)] : []),
    ];
    const entries = [];
    for (const contender of contenders) entries.push({ contender, trial: await trial(contender) });
    const samples = await interleave(entries, rounds, () => {});
    const times = entries.map(({ contender: { name }, trial: { solver } }, i) => {
      const point = { size, milliseconds: spread(samples[i]).median, ...(solver ? { solver } : {}) };
      points.set(name, [...(points.get(name) ?? []), point]);
      return `${name} ${milliseconds(point.milliseconds)}`;
    });
    console.log(`  ${varied} = ${size}: ${times.join(', ')}`);
  }
  return [...points].map(([contender, curve]) => ({
    varied,
    fixed,
    contender,
    points: curve,
    exponent: exponent(curve),
  }));
}

/** The slope of log time over log size, by least squares. */
function exponent(points: Curve['points']): number {
  const x = points.map(({ size }) => Math.log(size));
  const y = points.map(({ milliseconds }) => Math.log(milliseconds));
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [xMean, yMean] = [mean(x), mean(y)];
  const covariance = x.reduce((sum, value, i) => sum + (value - xMean) * (y[i] - yMean), 0);
  return covariance / x.reduce((sum, value) => sum + (value - xMean) ** 2, 0);
}
