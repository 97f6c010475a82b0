import { compareModels, type ModelComparison } from '@scree/analysis';
import { count, degrees, describeOrigin, formatNumber, listed, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { readModel } from '../disk/model-file.js';
import type { Call } from './command.js';
import { warningWithFlags } from './describe-error.js';
import { print, printLines } from './print.js';

/** `scree compare`: how alike the components of two stored models are. */
export async function run({ positionals: [first, second], flags }: Call): Promise<void> {
  const models = [await readModel(first), await readModel(second)] as const;
  const comparison = compareModels(...models);
  if (flags.json) print(`${JSON.stringify(comparisonJson(comparison))}\n`);
  else printLines(describeComparison(comparison, models, [first, second]));
}

/** Components are counted from 1, as PC1 is. */
function comparisonJson({ angles, congruence, matches, procrustes, ...rest }: ModelComparison): object {
  const lists = ({ rows, cols, data }: ModelComparison['congruence']): number[][] =>
    Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
  return {
    ...rest,
    angles: Array.from(angles),
    congruence: lists(congruence),
    matches: matches.map((match) => ({ ...match, first: match.first + 1, second: match.second + 1 })),
    procrustes: { ss: procrustes.ss, rotation: lists(procrustes.rotation) },
  };
}

/** Columns that are named, and pairs of components that are listed. */
const MOST_NAMES = 8;
const MOST_PAIRS = 20;

function describeComparison(
  { columns, onlyFirst, onlySecond, angles, matches, rv, procrustes, warnings }: ModelComparison,
  [a, b]: readonly [Model, Model],
  [first, second]: readonly [string, string],
): string[] {
  const only = (names: readonly string[], path: string): string[] => {
    if (names.length === 0) return [];
    const some = names.slice(0, MOST_NAMES);
    const more = names.length > some.length ? [`${count(names.length - some.length)} more`] : [];
    return [`Only in ${path}, and not compared: ${listed([...some, ...more])}.`];
  };
  const shared = columns.length;
  const subspaces =
    Math.max(a.k, b.k) >= shared
      ? `One of the models has as many components as there are columns to compare, so angles between subspaces say nothing. Fit both with a smaller -k.`
      : `The subspaces of ${a.k === b.k ? `the ${plural(a.k, 'component')}` : `${a.k} and ${plural(b.k, 'component')}`} are at angles of ${listed([...angles].map(degrees))}.`;
  return [
    `${first}: ${plural(a.k, 'component')} of ${plural(a.d, 'column')}, ${describeOrigin(a)}`,
    `${second}: ${plural(b.k, 'component')} of ${plural(b.d, 'column')}, ${describeOrigin(b)}`,
    `${plural(shared, 'column')} ${shared === 1 ? 'is' : 'are'} in both.`,
    ...only(onlyFirst, first),
    ...only(onlySecond, second),
    ...warnings.map((warning) => `Warning: ${warningWithFlags(warning, a.columnNames)}`),
    '',
    'Components that match best, by Tucker’s congruence of their loadings (signs of components are arbitrary):',
    ...matches
      .slice(0, MOST_PAIRS)
      .map(
        (match) =>
          `  PC${match.first + 1} and PC${match.second + 1}: ${match.congruence.toFixed(3).replace('-', '−')}, ${similarity(match.congruence)}`,
      ),
    ...(matches.length > MOST_PAIRS ? [`  … and ${matches.length - MOST_PAIRS} more`] : []),
    '',
    subspaces,
    `RV coefficient of the loadings: ${formatNumber(rv, 4)} (1: the same covariances up to a factor; 0: unrelated).`,
    `Procrustes: the best rotation of the second model’s loadings leaves ${formatNumber(100 * procrustes.ss, 3)} % of the sum of squares.`,
  ];
}

/** In the words of Lorenzo-Seva & ten Berge (2006). */
function similarity(congruence: number): string {
  const size = Math.abs(congruence);
  return size >= 0.95 ? 'equal' : size >= 0.85 ? 'fairly similar' : 'not similar';
}
