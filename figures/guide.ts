import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  analyze,
  chooseComponents,
  type Data,
  type Labels,
  Model,
  makeReport,
  mca,
  openFile,
  type PcaOptions,
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

export const drawDecathlonCircle: Draw = (progress) => drawnDecathlon('correlations-1-2', progress);
export const drawDecathlonContributions: Draw = (progress) => drawnDecathlon('contributions', progress);
export const drawDecathlonCos2: Draw = (progress) => drawnDecathlon('cos2', progress);
export const drawDecathlonScores: Draw = (progress) => drawnDecathlon('scores-1-2', progress);
export const drawPoisonCategories: Draw = async () => {
  const table = await openFile(fileOf('poison.csv'), { categories: true, exclude: NOT_EATEN });
  const model = await mca(table.table, { k: 2 });
  const report = await makeReport({ model, source: table.table, title: 'guide', rows: 'fit' });
  await table.close();
  return figureOf(report, 'categories-1-2');
};

interface Table {
  readonly source: Data;
  readonly labels?: Labels;
}

/** Columns of poison.csv that are no symptoms and no food. */
const NOT_EATEN = ['Child', 'Age', 'Time', 'Sick', 'Sex'];

/** One figure of a report about a table. */
async function drawn(figure: string, { source, labels }: Table, options: PcaOptions, progress: ProgressBar) {
  progress.show(0.2, 'bootstrap');
  const { k: _, ...scaling } = options;
  const { model: fitted } = await analyze(source, { ...options, bootstrap: 1000 });
  const choice = await chooseComponents(source, scaling);
  const model = new Model({ ...fitted, choice });
  const report: Report = await makeReport({ model, source, labels, labelName: 'grower', title: 'guide', rows: 'fit' });
  progress.clear();
  return figureOf(report, figure, [choice.reason]);
}

/** 23 decathletes with their competition; their rank and points, and four more athletes, have no part in the fit (factoextra). */
async function drawnDecathlon(figure: string, progress: ProgressBar) {
  progress.show(0.2, 'decathlon');
  const [head, ...athletes] = readFileSync(fileOf('decathlon.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const numbers = (cells: readonly string[]): number[] => cells.slice(1, 11).map(Number);
  const [active, others] = [athletes.slice(0, 23), athletes.slice(23)];
  const source = sourceFromRows(active.map(numbers), head.slice(1, 11));
  const analysis = await analyze(source, {
    scale: 'unit',
    ddof: 0,
    k: 3,
    bootstrap: 0,
    criteria: 'none',
    names: active.map(([name]) => name),
    supplementary: {
      columns: active.map((cells) => ({ Rank: Number(cells[11]), Points: Number(cells[12]) })),
      groups: { Competition: active.map((cells) => cells[13]) },
      rows: others.map(numbers),
      rowNames: others.map(([name]) => name),
    },
  });
  const labels = labelsOf(active.map((cells) => cells[13]));
  const report = await makeReport({ analysis, labels, labelName: 'Competition', title: 'guide' });
  progress.clear();
  return figureOf(report, figure);
}

function figureOf(report: Report, figure: string, measured: readonly string[] = []) {
  const svg = report.figures.find(({ name }) => name === figure)?.svg;
  if (svg === undefined) throw new Error(`The report has no figure ${figure}.`);
  const description = /<desc id="desc">(.*)<\/desc>/.exec(svg)?.[1] ?? '';
  return { svg, measurements: [...measured, description.replaceAll(/\s+/g, ' ')], folder: FOLDER };
}

/** 178 wines of three growers, 13 measurements (Aeberhard & Forina, UCI). */
function wine(): Table {
  const text = readFileSync(new URL('../../packages/lab/src/data/wine.csv', import.meta.url), 'utf8');
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const growers = lines.map((line) => line[13].replace('cultivar', 'grower'));
  return {
    source: sourceFromRows(
      lines.map((line) => line.slice(0, 13).map(Number)),
      head.slice(0, 13),
    ),
    labels: labelsOf(growers),
  };
}

function labelsOf(values: readonly string[]): Labels {
  const names = [...new Set(values)];
  return { names, codes: Int16Array.from(values, (value) => names.indexOf(value)), numbers: undefined };
}

/** The path of a table of the guide. */
function fileOf(name: string): string {
  return fileURLToPath(new URL(`../../docs/guide/${name}`, import.meta.url));
}

/** Independent normal numbers (Box & Muller), always the same. */
function noise(rows: number, cols: number): RowSource {
  let state = 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return sourceFromRows(Array.from({ length: rows }, () => Array.from({ length: cols }, normal)));
}

/** Rows in memory as a source. */
function sourceFromRows(rows: readonly (readonly number[])[], columnNames?: readonly string[]): RowSource {
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
