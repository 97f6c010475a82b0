/**
 * How many good new rows the 95 % limits of `monitor` flag, over fits of many shapes and kinds of normal rows: it should be 5 % ± 1. Prints a
 * line per shape and kind: calibrated T² and Q, and Jackson and Mudholkar's limit for comparison. `npm run compile && node bench/dist/calibration.js`
 * takes some minutes; `--quick` a tenth of the fits.
 */
import { monitor, rowLimits } from '@scree/analysis';
import { pca } from '@scree/core';
import { random } from '@scree/core/linalg';
import { readArguments } from './arguments.js';

const { quick } = readArguments(process.argv.slice(2));

/** Rows, columns, components and number of fits. */
const SHAPES = [
  [30, 4, 2, 600],
  [30, 10, 3, 400],
  [30, 50, 5, 120],
  [50, 20, 5, 200],
  [100, 10, 3, 300],
  [100, 50, 5, 100],
  [300, 50, 5, 60],
  [1000, 20, 5, 40],
  [10_000, 50, 5, 10],
] as const;

/** Variances of the population. */
const KINDS: Readonly<Record<string, (j: number, k: number) => number>> = {
  factors: (j, k) => (j < k ? 10 / (j + 1) : 0.5),
  harmonic: (j) => 1 / (j + 1),
  geometric: (j) => 0.8 ** j,
  equal: () => 1,
};
const FRESH = 400;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(7);

for (const [n, d, k, fits] of SHAPES) {
  for (const [kind, variance] of Object.entries(KINDS)) {
    const rng = random(n + 7 * d);
    const deviations = Float64Array.from({ length: d }, (_, j) => Math.sqrt(variance(j, k)));
    const draw = (rows: number): { rows: number; cols: number; data: Float64Array } => ({
      rows,
      cols: d,
      data: Float64Array.from({ length: rows * d }, (_, at) => deviations[at % d] * rng.normal()),
    });
    const beyond = { t2: 0, q: 0, literature: 0 };
    const runs = Math.max(4, Math.round(quick ? fits / 10 : fits));
    for (let run = 0; run < runs; run++) {
      const rows = draw(n);
      const model = await pca(rows, { k, solver: 'covariance' });
      const spectrum = model.spectrum ?? (await pca(rows, { k: 'all', solver: 'svd' })).variances;
      const { t2, q, limits } = await monitor(model, draw(FRESH), { spectrum, reasons: 0 });
      const { jacksonMudholkar, box } = rowLimits(model, { spectrum }).methods;
      const share = (values: Float64Array, limit: number | null): number =>
        values.filter((value) => limit !== null && value > limit).length / (FRESH * runs);
      beyond.t2 += share(t2, limits.t2);
      beyond.q += share(q, limits.q);
      beyond.literature += share(q, jacksonMudholkar ?? box);
    }
    const shape = `${n} × ${d}, k = ${k}`.padEnd(20);
    console.log(
      `${shape} ${kind.padEnd(10)} T² ${percent(beyond.t2)}  Q ${percent(beyond.q)}  (Jackson–Mudholkar ${percent(beyond.literature)})`,
    );
  }
}
