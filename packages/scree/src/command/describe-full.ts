import type { Analysis, ComparedRows, NotComputed } from '@scree/analysis';
import { criteriaByImportance, noiseTested } from '@scree/analysis/criteria';
import {
  describeBetween,
  describeEncoding,
  describeKept,
  describeMeaning,
  describeScale,
  describeSecondLook,
  describeStability,
  describeUnusual,
  describeVarianceBias,
  describeVariances,
  explainUnusual,
  firstComponents,
  knownRatios,
  listed,
  percent,
  rowOrderOf,
} from '@scree/analysis/describe';
import type { Choice, Criterion, Model, Stability } from '@scree/core';
import { withoutName } from '../report/columns.js';
import { screePlot } from '../scree-plot.js';
import { warningWithFlags } from './describe-error.js';
import { describeAccuracy, recommended } from './describe-model.js';
import { reasonWithFlags } from './describe-reason.js';
import { compact, continued, table } from './text-table.js';
import { wrap } from './wrap.js';

/** Commands that are worth trying next, with what they do. */
export type NextSteps = readonly (readonly [command: string, what: string])[];

/** Components in tables and plots. */
const MOST_COMPONENTS = 20;
/** Rows in a table. */
const MOST_ROWS = 10;
/** Rotated components and columns in a table of loadings. */
const MOST_LOADINGS = 8;
const MOST_COLUMNS = 40;
/** Components whose scores fit into a line. */
const MOST_SCORES = 4;
/** Shares of the variance below this are rounding. */
const ROUNDING = 1e-13;
/** Columns of the terminal that a scree plot needs for its numbers, besides its bars. */
const NUMBERS = 25;

/** The whole analysis as lines of at most `width` characters: every criterion, interval and bound. */
export function describeFull(analysis: Analysis, description: string, next: NextSteps, width: number): string[] {
  const { model, notComputed, compared, kept, between, scaling } = analysis;
  const text = (sentence: string, indent = 2): string[] => wrap(`${' '.repeat(indent)}${sentence}`, width, indent);
  return [
    ...wrap(description, width, 2),
    ...(model.coding ? describeEncoding(model.coding).flatMap((sentence) => wrap(sentence, width, 2)) : []),
    ...(between ? wrap(describeBetween(between), width, 2) : []),
    ...(scaling
      ? wrap(describeScale(scaling, { option: (rule) => `--scale ${rule}` }), width, 2)
      : describeScaling(model).flatMap((sentence) => wrap(sentence, width, 2))),
    ...model.warnings.flatMap((warning) => wrap(`Warning: ${warningWithFlags(warning, model.columnNames)}`, width, 2)),
    '',
    'How many components',
    ...describeChoice(model, notComputed, width),
    ...(between ? [describeKept(model)] : describeVariances(model)).flatMap((sentence) => text(sentence)),
    '',
    'How stable they are',
    ...(model.stability
      ? [
          ...describeStability(model.stability, model.k, recommended(model), rowOrderOf(model)).flatMap((sentence) =>
            text(sentence),
          ),
          '',
          ...stabilityTable(model, model.stability),
          ...describeVarianceBias(model).flatMap((sentence) => text(sentence)),
        ]
      : text(notExamined('stability', notComputed))),
    '',
    'What they mean',
    ...describeMeanings(analysis, text),
    ...describeEncoded(analysis, kept, text),
    ...describeSupplementaryRows(analysis, kept, text),
    ...describeRotation(analysis, text),
    '',
    'Unusual rows',
    ...(compared ? describeRows(analysis, compared, text) : text(notExamined('unusual', notComputed))),
    '',
    ...wrap(describeAccuracy(model), width, 2),
    ...(next.length === 0 ? [] : ['', 'Next']),
    ...next.flatMap(([command, what]) => [...continued(command, width), ...text(what, 6)]),
  ];
}

/** "Not examined.", and why. */
export function notExamined(part: keyof NotComputed, notComputed: NotComputed): string {
  const reason = notComputed[part];
  return `Not examined.${reason ? ` ${reasonWithFlags(part, reason)}` : ''}`;
}

/** How columns were centred and scaled. Empty for MCA, FAMD and MFA, whose own description says it. */
function describeScaling({ scaling, scale, centered, columnWeights, coding: encoding }: Model): string[] {
  if (encoding && encoding.method !== 'pca') return [];
  const about = {
    none: 'none. Columns with more variance count more',
    unit: 'unit. Every column was divided by its standard deviation, so all count the same',
    pareto: 'pareto. Every column was divided by the root of its standard deviation',
    range: 'range. Every column was divided by its range',
    median: 'median. Every column was divided by 1.4826 times its median absolute deviation',
    given: 'columns were divided by given numbers',
  };
  const how = about[scaling ?? (scale.every((value) => value === 1) ? 'none' : 'given')];
  const weighted = columnWeights ? ' Columns count by their weights.' : '';
  return [`Scaling: ${how}.${weighted}${centered ? '' : ' Column means were not subtracted.'}`];
}

function describeChoice(model: Model, notComputed: NotComputed, width: number): string[] {
  const { choice } = model;
  // The levels of a category add up to 1, so an encoded table has directions without any variance.
  const plot = { varianceRatios: knownRatios(model).filter((ratio) => !model.coding || ratio > ROUNDING) };
  const bars = Math.max(8, Math.min(40, width - NUMBERS - 2));
  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  if (!choice) {
    const why = wrap(`  ${notExamined('choice', notComputed)}`, width, 2);
    return [...why, '', ...indented(screePlot(plot, { most: MOST_COMPONENTS, width: bars }).split('\n')), ''];
  }
  const { marks, noise } = noiseLevel(choice, model.totalVariance);
  const below = (i: number): string[] => {
    const names = criteriaByImportance(choice)
      .filter(({ k }) => k === i + 1)
      .map(({ name }) => name);
    if (names.length === 0) return [];
    const keep = choice.k === i + 1 ? 'keep' : 'or';
    return wrap(`     ╰─ ${keep} ${i < 0 ? 'none' : i + 1}: ${names.join(', ')}`, width - 2, 8);
  };
  return [
    ...wrap(`  ${choice.reason}`, width, 2),
    '',
    ...indented(screePlot(plot, { most: MOST_COMPONENTS, width: bars, marks, below }).split('\n')),
    ...(noise ? wrap(`  │ marks ${noise}.`, width, 2) : []),
    '',
    ...criteriaByImportance(choice).flatMap((each) =>
      wrap(
        `  ${each.name.padEnd(18)} ${each.k === null ? ' –' : String(each.k).padStart(2)}  ${criterionSentence(each)}`,
        width,
        25,
      ),
    ),
    '',
  ];
}

/** The sentence of a criterion. If the criterion does not apply, the flag that makes it apply. */
function criterionSentence({ obstacle, sentence }: Criterion): string {
  if (obstacle === 'correlation') return 'For correlations only: it applies with --scale unit.';
  if (obstacle === 'centered') return 'For centred data only: it applies without --no-center.';
  if (obstacle === 'unweighted') return 'It counts rows, and does not apply with --weight.';
  return sentence;
}

/** The share of the variance that noise would have, and its name. */
function noiseLevel(
  { criteria }: Choice,
  total: number,
): { readonly marks?: readonly number[]; readonly noise?: string } {
  for (const { name, k, thresholds } of criteriaByImportance({ criteria })) {
    const noise = noiseTested(name);
    if (noise && thresholds && k !== null) return { marks: thresholds.map((value) => value / total), noise };
  }
  return {};
}

/** Variances with their intervals, angles, and how often neighbours swap. */
function stabilityTable({ variances, k }: Model, { variances: intervals, angles, swaps }: Stability): string[] {
  const shown = Math.min(k, MOST_COMPONENTS);
  const rowOf = (i: number): string[] => [
    compact(variances[i], 4),
    `${compact(intervals[i][0], 3)} to ${compact(intervals[i][1], 3)}`,
    degrees(angles[i].median),
    degrees(angles[i].q95),
    ...(k > 1 ? [i < swaps.length ? `${Math.round(100 * swaps[i])} %` : ''] : []),
  ];
  const blank = ['–', '–', '–', ...(k > 1 ? [''] : [])];
  const rows = Array.from({ length: shown }, (_, i) => [
    String(i + 1),
    // A component without variance has no direction that could turn.
    ...(intervals[i][1] === 0 ? ['0', ...blank] : rowOf(i)),
  ]);
  const header = ['PC', 'variance', '95 % interval', 'median angle', '95 %', ...(k > 1 ? ['swaps with next'] : [])];
  return table([header, ...rows], k - shown);
}

/** One sentence per component. Components that noise could explain get no meaning. */
function describeMeanings(
  { model: { totalVariance, centered }, meaning, kept }: Analysis,
  text: (sentence: string) => string[],
): string[] {
  if (totalVariance === 0) return text('Not examined. All rows are the same.');
  if (!centered) return text('Not examined. The tests are for centred data: leave --no-center out.');
  if (kept === 0) return text('No component stands out of noise, so none is described.');
  const said = meaning
    .slice(0, Math.min(kept, MOST_COMPONENTS))
    .flatMap((each) => (each && describeMeaning(each)) ?? []);
  return said.length === 0
    ? text('No column is related to them clearly enough to be named.')
    : said.flatMap((each) => text(each));
}

/** For MFA the blocks, with their part in the components. For MCA the corrected shares of the variance. */
export function describeEncoded({ coded }: Analysis, kept: number, text: (sentence: string) => string[]): string[] {
  if (!coded) return [];
  const k = Math.max(1, Math.min(kept, MOST_SCORES));
  const components = Array.from({ length: k }, (_, c) => c);
  const { blocks, inertias } = coded;
  const shares = inertias?.greenacre?.slice(0, k);
  return [
    ...(shares && shares.length > 0
      ? text(
          `Encoding columns as levels makes shares of the variance small; adjusted by Greenacre, ${listed(shares.map((share, c) => `PC${c + 1} has ${percent(share)}`))}.`,
        )
      : []),
    ...(blocks.length === 0
      ? []
      : [
          '',
          'Blocks',
          ...table(
            [
              [...components.map((c) => `PC${c + 1}`), 'block'],
              ...blocks.map(({ name, contribution }) => [
                ...components.map((c) => `${Math.round(contribution[c])} %`),
                name,
              ]),
            ],
            0,
            1,
          ),
        ]),
  ];
}

/** Scores of supplementary rows on the kept components, and the share of each row that the components explain. */
export function describeSupplementaryRows(
  { supplementaryRows: apart, notComputed }: Analysis,
  kept: number,
  text: (sentence: string) => string[],
): string[] {
  const title = ['', 'Supplementary rows'];
  const reason = notComputed.supplementaryRows;
  if (reason) return [...title, ...text(`Not listed. ${reasonWithFlags('supplementaryRows', reason)}`)];
  if (apart === undefined) return [];
  const { found, numbers, names } = apart;
  const { cols, data } = found.scores;
  const k = Math.max(1, Math.min(kept, MOST_SCORES));
  const components = Array.from({ length: k }, (_, c) => c);
  const named = names.some((name) => name !== null);
  const rows = numbers
    .slice(0, MOST_ROWS)
    .map((row, i) => [
      String(row),
      ...components.map((c) => compact(data[i * cols + c], 4)),
      `${Math.round(100 * components.reduce((sum, c) => sum + found.cos2.data[i * cols + c], 0))} %`,
      ...(named ? [names[i] ?? ''] : []),
    ]);
  const header = ['row', ...components.map((c) => `PC${c + 1}`), 'cos²', ...(named ? ['name'] : [])];
  return [...title, ...table([header, ...rows], numbers.length - rows.length, named ? 1 : 0)];
}

/** Rotated loadings, and for oblique rotations the correlations of the scores. */
export function describeRotation(
  { rotation, notComputed, model: { columnNames, d } }: Analysis,
  text: (sentence: string) => string[],
): string[] {
  const reason = notComputed.rotation;
  if (reason) return ['', 'Rotated loadings', ...text(`Not computed. ${reasonWithFlags('rotation', reason)}`)];
  if (rotation === undefined) return [];
  const { method, k, loadings, phi, varianceRatios, orthogonal, warnings } = rotation;
  const shown = Math.min(k, MOST_LOADINGS);
  const components = Array.from({ length: shown }, (_, c) => c);
  const titles = components.map((c) => `RC${c + 1}`);
  const decimals = (value: number): string => (Math.abs(value) < 100 ? value.toFixed(2) : compact(value, 4));
  const columns = Array.from({ length: Math.min(d, MOST_COLUMNS) }, (_, j) => [
    ...components.map((c) => decimals(loadings.data[c * d + j])),
    columnNames?.[j] ?? String(j),
  ]);
  const shares = components.map((c) => `${Math.round(100 * varianceRatios[c])} %`);
  const correlations = components.map((c) => [
    ...components.map((e) => decimals(phi.data[c * k + e])),
    `correlation with RC${c + 1}`,
  ]);
  return [
    '',
    `Rotated loadings (${method}${shown < k ? `, the first ${shown} of ${k} components` : ''})`,
    ...table([[...titles, 'column'], ...columns, [...shares, 'of the variance']], d - columns.length, 1),
    ...(orthogonal || k === 1 ? [] : ['', ...table([[...titles, ''], ...correlations], 0, 1)]),
    ...warnings.flatMap((warning) => text(warningWithFlags(warning, columnNames))),
  ];
}

function degrees(radians: number): string {
  return `${Math.round((radians * 180) / Math.PI)}°`;
}

function describeRows(
  analysis: Analysis,
  { model, facts, found }: ComparedRows,
  text: (sentence: string) => string[],
): string[] {
  const { t2, q } = found.unusualLimits;
  // The table has the names.
  const { nameOf: _, ...numbered } = facts;
  const limited = t2 !== null || q !== null;
  const hidden = analysis.findings.some(({ code }) => code === 'FEW_ROWS_DRIVE' || code === 'UNUSUAL_ROWS');
  const sentences = limited ? explainUnusual(model, found, numbered, hidden) : [describeUnusual(found, numbered)];
  sentences.splice(1, 0, ...describeSecondLook(analysis));
  if (model.k < analysis.model.k) {
    sentences.splice(1, 0, `Rows are compared with ${firstComponents(model)}; -k takes another number.`);
  }
  const shown = found.unusual.slice(0, MOST_ROWS);
  const rows = shown.map(({ number, name, t2, error, ratios, columns }) => [
    String(number),
    `${compact(t2, 4)}${ratios.t2 > 1 ? ' *' : '  '}`,
    `${compact(error, 4)}${ratios.q > 1 ? ' *' : '  '}`,
    name ?? '',
    columnsOf(columns),
  ]);
  const named = shown.some(({ name }) => (name ?? '') !== '');
  const traced = shown.some(({ columns }) => columnsOf(columns) !== '');
  const texts = (name: string, columns: string): string[] => [...(named ? [name] : []), ...(traced ? [columns] : [])];
  const header = ['row', 'T²  ', 'Q  ', ...texts('name', 'Q mostly from')];
  const cells = rows.map(([row, t2, q, name, columns]) => [row, t2, q, ...texts(name, columns)]);
  return [
    ...sentences.flatMap((sentence) => text(sentence)),
    ...(rows.length > 0
      ? [
          '',
          ...table([header, ...cells], found.unusual.length - rows.length, header.length - 3),
          '  * beyond the limit',
        ]
      : []),
  ];

  function columnsOf(shares: (typeof found.unusual)[number]['columns']): string {
    const columns = shares.filter(({ share }) => share > 0.15).slice(0, 2);
    return columns.map(({ column }) => model.columnNames?.[column] ?? withoutName(column)).join(', ');
  }
}
