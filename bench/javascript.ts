import { PCA as Druid } from '@saehrimnir/druidjs';
import { PCA as MlPca } from 'ml-pca';
import { type Matrix, toRows } from 'scree';
import type { Contender, Fit } from './contender.js';
import type { JavaScriptPeer } from './workloads.js';

/** The other libraries for JavaScript. They want arrays of arrays; making those is not timed. */
export function javascript(data: Matrix, k: number, { name, from }: JavaScriptPeer, slow: boolean): Contender {
  const fitRows = name === 'druidjs' ? fitDruid : fitMlPca(name === 'ml-pca SVD' ? 'SVD' : 'covarianceMatrix');
  const rows = toRows(data);
  return {
    name,
    group: 'javascript',
    async fit(repeat) {
      return from && !slow ? extrapolate(rows, from, (some) => fitRows(some, k)) : timed(repeat, fitRows, rows, k);
    },
  };
}

type Answer = Pick<Fit, 'variances' | 'components'>;
type FitRows = (rows: number[][], k: number) => () => Answer;

function timed(repeat: number, fitRows: FitRows, rows: number[][], k: number): Fit {
  const start = performance.now();
  let answer = fitRows(rows, k);
  for (let i = 1; i < repeat; i++) answer = fitRows(rows, k);
  return { seconds: (performance.now() - start) / 1000 / repeat, ...answer() };
}

/** The time for all rows on the straight line through two smaller numbers of rows; no answer to check comes of it. */
function extrapolate(
  rows: number[][],
  [few, more]: readonly [number, number],
  work: (rows: number[][]) => unknown,
): Fit {
  const time = (count: number): number => {
    const start = performance.now();
    work(rows.slice(0, count));
    return (performance.now() - start) / 1000;
  };
  const [short, long] = [time(few), time(more)];
  return {
    seconds: long + ((long - short) / (more - few)) * (rows.length - more),
    note: `not measured: ${short.toFixed(1)} s for ${few} rows and ${long.toFixed(1)} s for ${more} continued by a straight line (\`--slow\` measures it)`,
  };
}

function fitMlPca(method: 'SVD' | 'covarianceMatrix'): FitRows {
  return (rows, k) => {
    const model = new MlPca(rows, { method });
    return () => ({
      variances: model.getEigenvalues().slice(0, k),
      components: spannedBy(model.getEigenvectors().to2DArray(), k),
    });
  };
}

/** druidjs gives components, but no variances. */
const fitDruid: FitRows = (rows, k) => {
  const components = new Druid(rows, { d: k }).principal_components();
  return () => ({
    components: spannedBy(
      components.to2dArray().map((row) => Array.from(row)),
      k,
    ),
  });
};

/** The first k columns as rows. */
function spannedBy(columns: number[][], k: number): Matrix {
  const cols = columns.length;
  const data = new Float64Array(k * cols);
  for (let i = 0; i < k; i++) for (let j = 0; j < cols; j++) data[i * cols + j] = columns[j][i];
  return { rows: k, cols, data };
}
