import { readFileSync } from 'node:fs';
import {
  chooseComponents,
  type Data,
  Model,
  makeReport,
  type PcaOptions,
  pca,
  type Report,
  type RowSource,
} from 'scree';
import type { Draw } from './figure.js';
import type { ProgressBar } from './progress-bar.js';

/** Pictures of docs/guide: those that a report draws, for data that people know. */

const FOLDER = 'guide/figures';

export const drawWineCriteria: Draw = (progress) => drawn('scree', wine(), { scale: 'unit', k: 3 }, progress);
export const drawWineStability: Draw = (progress) => drawn('stability', wine(), { scale: 'unit', k: 10 }, progress);
export const drawWineIntervals: Draw = (progress) =>
  drawn('loading-intervals', wine(), { scale: 'unit', k: 3 }, progress);
export const drawNoiseStability: Draw = (progress) =>
  drawn('stability', { source: noise(200, 10) }, { k: 10 }, progress);
export const drawWineUnscaled: Draw = (progress) => drawn('biplot', wine(), { k: 3 }, progress);
export const drawWineScaled: Draw = (progress) => drawn('biplot', wine(), { scale: 'unit', k: 3 }, progress);

interface Table {
  readonly source: Data;
  readonly labels?: { readonly names: readonly string[]; readonly codes: Int16Array; readonly numbers: undefined };
}

/** One figure of a report about a table. */
async function drawn(figure: string, { source, labels }: Table, options: PcaOptions, progress: ProgressBar) {
  progress.show(0.2, 'bootstrap');
  const { k: _, ...scaling } = options;
  const fitted = await pca(source, { ...options, bootstrap: 1000 });
  const choice = await chooseComponents(source, scaling);
  const model = new Model({ ...fitted, choice });
  const report: Report = await makeReport({ model, source, labels, labelName: 'grower', title: 'guide', rows: 'fit' });
  progress.clear();
  const svg = report.figures.find(({ name }) => name === figure)?.svg;
  if (svg === undefined) throw new Error(`The report has no figure ${figure}.`);
  const description = /<desc id="desc">(.*)<\/desc>/.exec(svg)?.[1] ?? '';
  return { svg, measurements: [choice.reason, description.replaceAll(/\s+/g, ' ')], folder: FOLDER };
}

/** 178 wines of three growers, 13 measurements (Aeberhard & Forina, UCI). */
function wine(): Table {
  const text = readFileSync(new URL('../../packages/lab/src/data/wine.csv', import.meta.url), 'utf8');
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const growers = lines.map((line) => line[13].replace('cultivar', 'grower'));
  const names = [...new Set(growers)];
  return {
    source: sourceOf(
      lines.map((line) => line.slice(0, 13).map(Number)),
      head.slice(0, 13),
    ),
    labels: { names, codes: Int16Array.from(growers, (grower) => names.indexOf(grower)), numbers: undefined },
  };
}

/** Independent normal numbers (Box & Muller), always the same. */
function noise(rows: number, cols: number): RowSource {
  let state = 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return sourceOf(Array.from({ length: rows }, () => Array.from({ length: cols }, normal)));
}

function sourceOf(rows: readonly (readonly number[])[], columnNames?: readonly string[]): RowSource {
  const cols = rows[0].length;
  return {
    rows: rows.length,
    cols,
    dtype: 'float64',
    ...(columnNames ? { columnNames } : {}),
    rereadable: true,
    resident: true,
    blocks: () => [{ kind: 'dense', rows: rows.length, cols, stride: cols, data: Float64Array.from(rows.flat()) }],
  };
}
