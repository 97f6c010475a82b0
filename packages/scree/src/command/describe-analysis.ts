import type { Analysis, Finding, Reason } from '@scree/analysis';
import {
  describeBetween,
  describeEncoding,
  describeFinding,
  describeScale,
  knownRatios,
} from '@scree/analysis/describe';
import type { Warning } from '@scree/core';
import { withoutName } from '../report/columns.js';
import { screePlot } from '../scree-plot.js';
import { warningWithFlags } from './describe-error.js';
import {
  describeEncoded,
  describeRotation,
  describeSupplementaryRows,
  type NextSteps,
  notExamined,
} from './describe-full.js';
import { compact, continued, table } from './text-table.js';
import { wrap } from './wrap.js';

/** Maximum number of sentences about findings that are printed. */
const MOST_SENTENCES = 5;
/** Findings of lower importance are not printed. */
const WORTH_SAYING = 15;
/** Components of the scree plot beyond the kept ones, and the maximum number of bars. */
const [MORE_BARS, MOST_BARS] = [3, 10];
/** Maximum number of components and columns in the table of correlations, and of rows in the table of unusual rows. */
const [MOST_COMPONENTS, MOST_COLUMNS, MOST_ROWS] = [4, 8, 5];
/** Columns of the terminal that a scree plot needs for its numbers, besides its bars. */
const NUMBERS = 25;
/** Shares of the variance below the first number are rounding. Shares below the second are too small for a bar. */
const [ROUNDING, LEAST_SHARE] = [1e-13, 5e-5];

/**
 * An analysis as lines that take a minute to read: the most important findings, a scree plot, correlations with components, unusual rows.
 */
export function describeAnalysis(analysis: Analysis, description: string, next: NextSteps, width: number): string[] {
  const { model, between } = analysis;
  const text = (sentence: string): string[] => wrap(`  ${sentence}`, width, 2);
  const said = headline(analysis, next);
  const coded = model.coding ? describeEncoding(model.coding).flatMap((sentence) => wrap(sentence, width, 2)) : [];
  return [
    ...wrap(description, width, 2),
    ...coded,
    ...(between ? wrap(describeBetween(between), width, 2) : []),
    ...scalingLines(analysis, width),
    '',
    ...said.text.flatMap((sentence) => wrap(sentence, width, 2)),
    '',
    ...variances(analysis, width),
    ...section(correlations(analysis)),
    ...describeEncoded(analysis, analysis.kept, text),
    ...describeSupplementaryRows(analysis, analysis.kept, text),
    ...describeRotation(analysis, text),
    ...section(unusualRows(analysis, width)),
    ...section(alsoWorthKnowing(analysis, said.codes, width)),
    ...(next.length === 0 ? [] : ['', 'Next']),
    ...next.flatMap(([command, what]) => nextLine(command, what, width)),
  ];
}

/** The scaling that was chosen, why, and the flag for the other one. */
export function scalingLines({ scaling }: Pick<Analysis, 'scaling'>, width: number): string[] {
  if (!scaling || scaling.reason === 'one-column') return [];
  return wrap(describeScale(scaling, { option: (rule) => `--scale ${rule}` }), width, 2);
}

function section(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The most important findings, and the reasons for missing answers. */
function headline(analysis: Analysis, next: NextSteps): Headline {
  const { findings, model, notComputed } = analysis;
  if (notComputed.choice?.code === 'ONE_COLUMN')
    return { text: ['There is only one column. It is the only component.'], codes: new Set() };
  const isNext = next.some(([command]) => command.includes('--scale unit'));
  const said: string[] = [];
  const codes = new Set<Finding['code']>();
  let left = MOST_SENTENCES;
  for (const finding of findings) {
    const text = describeFinding(finding, analysis, ({ details = {}, ...warning }) =>
      // The next steps have this remedy.
      warningWithFlags(
        { ...warning, details: isNext && details.remedy === 'scale' ? { ...details, remedy: 'none' } : details },
        model.columnNames,
      ),
    );
    left -= countSentences(text);
    if (finding.importance < WORTH_SAYING || (left < 0 && said.length > 0)) break;
    said.push(text);
    codes.add(finding.code);
  }
  const { choice, stability } = notComputed;
  const same = choice?.code === stability?.code;
  const text = [
    ...said,
    ...(isNews(choice) ? [`How many: ${lowerFirst(notExamined('choice', notComputed))}`] : []),
    ...(isNews(stability) && !same ? [`How stable: ${lowerFirst(notExamined('stability', notComputed))}`] : []),
  ];
  return { text, codes };
}

/** The sentences at the top, and the codes of the findings that they tell. */
interface Headline {
  readonly text: readonly string[];
  readonly codes: ReadonlySet<Finding['code']>;
}

/** What is said of the table in any case. */
const STRUCTURE: readonly Finding['code'][] = [
  'ORDERED_ROWS',
  'CONSTANT_SUM',
  'LINEAR_RELATION',
  'NEAR_CONSTANT_COLUMN',
  'DUPLICATE_ROWS',
  'FEW_LEVELS',
  'SKEWED_COLUMNS',
  'ORDERED_COLUMNS',
  'ROWS_DROPPED',
  'VALUES_FILLED',
];

/** The structure of the table that the headline had no room for. */
function alsoWorthKnowing({ findings, model }: Analysis, said: Headline['codes'], width: number): string[] {
  const left = findings.filter(({ code }) => STRUCTURE.includes(code) && !said.has(code));
  if (left.length === 0) return [];
  const sentences = left.map(({ code, details, message = '' }) =>
    warningWithFlags({ code, details, message } as Warning, model.columnNames),
  );
  return ['Also worth knowing', ...sentences.flatMap((sentence) => wrap(`  ${sentence}`, width, 2))];
}

/** The number of sentences, up to abbreviations and names that look like the end of one. */
function countSentences(text: string): number {
  return text.match(/[.?!](?= \p{Lu}|$)/gu)?.length ?? 1;
}

/**
 * Returns true if the reason is printed. It is not printed if the user left the part out, or if the analysis is of group means, whose
 * description has it.
 */
function isNews(reason: Reason | undefined): boolean {
  return reason !== undefined && reason.code !== 'NOT_ASKED' && reason.code !== 'GROUP_MEANS';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The scree plot: the kept components and some more. */
function variances({ model, kept }: Analysis, width: number): string[] {
  const ratios = knownRatios(model).filter((ratio) => !model.coding || ratio > ROUNDING);
  // A bar that would be shown as 0.00 % is left out.
  const visible = ratios.filter((ratio) => ratio >= LEAST_SHARE).length;
  const bars = Math.max(kept + 1, Math.min(MOST_BARS, visible, Math.max(kept + MORE_BARS, 5)));
  // A single component needs no line that sums up the rest.
  const most = ratios.length === bars + 1 ? ratios.length : bars;
  const below = (i: number): string[] =>
    i + 1 === kept && kept < Math.min(most, ratios.length) ? [`     ╰─ keep ${kept || 'none'}`] : [];
  const longest = Math.max(8, Math.min(40, width - NUMBERS - 2));
  const plot = screePlot({ varianceRatios: ratios }, { most, width: longest, below });
  return plot.split('\n').map((line) => `  ${line}`);
}

/**
 * The columns with the largest correlations with the kept components. Each is listed with the component that it is most correlated with.
 */
function correlations({ model, related, kept }: Analysis): string[] {
  const k = Math.min(kept, MOST_COMPONENTS);
  if (k === 0 || model.totalVariance === 0 || model.d === 1) return [];
  const known = related
    .map(({ name, correlation, contribution }, j) => {
      const own = correlation.slice(0, k);
      const size = Math.max(...own.map(Math.abs));
      return { name: name ?? withoutName(j), own, size, weight: Math.max(...contribution.slice(0, k)) };
    })
    .filter(({ size }) => size > 0);
  if (known.length === 0) return [];
  const shown = [...known]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, known.length === MOST_COLUMNS + 1 ? known.length : MOST_COLUMNS)
    .map((column) => ({ ...column, most: column.own.findIndex((value) => Math.abs(value) === column.size) }))
    .sort((a, b) => a.most - b.most || b.own[b.most] - a.own[a.most]);
  const components = Array.from({ length: k }, (_, c) => c);
  const rows = shown.map(({ name, own }) => [...own.map(decimals), name]);
  const what = model.centered ? 'Correlations of columns with components' : 'Cosines of columns and components';
  const title = kept > k ? `${what} (the first ${k} of ${kept})` : what;
  const header = [...components.map((c) => `PC${c + 1}`), ''];
  return [title, ...table([header, ...rows], known.length - shown.length, 1)];
}

function decimals(value: number): string {
  return value.toFixed(2).replace('-', '−');
}

/** The rows beyond the limits, farthest first. */
function unusualRows({ compared, notComputed, model }: Analysis, width: number): string[] {
  if (!compared) {
    const reason = notComputed.unusual?.code;
    if (reason === undefined || reason === 'NO_VARIANCE') return [];
    return wrap(`Unusual rows: ${lowerFirst(notExamined('unusual', notComputed))}`, width, 2);
  }
  const { unusual, counts } = compared.found;
  if (unusual.length === 0) return [];
  const nameOf = (column: number): string => model.columnNames?.[column] ?? withoutName(column);
  const cells = unusual.slice(0, MOST_ROWS).map(({ number, name, t2, error, ratios, columns }) => [
    String(number),
    ...(compared.model.k === 0 ? [] : [`${compact(t2, 3)}${ratios.t2 > 1 ? ' *' : '  '}`]),
    `${compact(error, 3)}${ratios.q > 1 ? ' *' : '  '}`,
    name ?? '',
    columns
      .filter(({ share }) => share > 0.15)
      .slice(0, 2)
      .map(({ column }) => nameOf(column))
      .join(', '),
  ]);
  const texts = [3, 4].map((at) => at - (compared.model.k === 0 ? 1 : 0));
  const used = texts.filter((at) => cells.some((row) => row[at] !== ''));
  const header = ['row', ...(compared.model.k === 0 ? [] : ['T²  ']), 'Q  ', 'name', 'Q mostly from'];
  const keep = (row: readonly string[]): string[] => row.filter((_, at) => !texts.includes(at) || used.includes(at));
  const more = (counts.either ?? unusual.length) - cells.length;
  return [
    'Unusual rows (* beyond the limit)',
    ...table([keep(header), ...cells.map(keep)], Math.max(0, more), used.length),
  ];
}

/** A command and what it does, in one line if both fit. */
function nextLine(command: string, what: string, width: number): string[] {
  const line = `  ${command}   ${what}`;
  return line.length <= width ? [line] : [...continued(command, width), ...wrap(`      ${what}`, width, 6)];
}
