import type { Encoding } from '@scree/core';
import type { CategoryColumn, EncodedColumn, NumberColumn } from '@scree/core/data';
import { count, listed, percent, plural } from './numbers.js';

/** Describes how a table was encoded: transforms, or MCA, FAMD or MFA, and the rules for missing values and unseen levels. */
export function describeEncoding(encoding: Encoding): string[] {
  const categories = encoding.columns.filter((column) => column.kind === 'category');
  return [
    METHODS[encoding.method](encoding, categories),
    ...describeTransforms(encoding.columns),
    ...describePooled(categories),
    ...(categories.length === 0 ? [] : describeRules(encoding)),
    ...describeRegression(encoding),
  ].filter((sentence) => sentence !== '');
}

/** Most names in a sentence. */
const MOST_NAMES = 5;

const METHODS: Readonly<
  Record<Encoding['method'], (coding: Encoding, categories: readonly CategoryColumn[]) => string>
> = {
  pca: () => '',
  mca: (_, categories) =>
    `Multiple correspondence analysis (MCA) of ${plural(categories.length, 'category', 'categories')} with ${plural(levelsOf(categories), 'level')}: every level is a column of 0 and 1, less its share and divided by the root of it, and all columns count the same.`,
  famd: ({ columns }, categories) =>
    `Factor analysis of mixed data (FAMD): ${mixture(columns, categories)}. Numbers have variance 1, and every level is a column of 0 and 1, less its share and divided by the root of it.`,
  mfa: ({ groups = [], columns }, categories) =>
    `Multiple factor analysis (MFA) of ${plural(groups.length, 'group')} of columns: ${listed(groups.map((group) => `${group.name} (${count(group.columns)})`))}; ${mixture(columns, categories)}. Every group was divided by the root of the first eigenvalue of its own analysis, so that none decides the components alone because it is large.`,
};

function levelsOf(categories: readonly CategoryColumn[]): number {
  return categories.reduce((sum, { levels }) => sum + levels.length, 0);
}

/** "10 columns of numbers and 2 categories with 7 levels". */
function mixture(columns: readonly EncodedColumn[], categories: readonly CategoryColumn[]): string {
  const numbers = columns.length - categories.length;
  return listed([
    ...(numbers === 0 ? [] : [plural(numbers, 'column of numbers', 'columns of numbers')]),
    ...(categories.length === 0
      ? []
      : [`${plural(categories.length, 'category', 'categories')} with ${plural(levelsOf(categories), 'level')}`]),
  ]);
}

const FUNCTIONS: Readonly<Record<Exclude<NumberColumn['transform'], 'none'>, string>> = {
  log1p: 'ln(1 + x) was',
  sqrt: 'the square root was',
  asinh: 'asinh(x) was',
  rank: 'the ranks were',
  clr: 'centred log-ratios (clr) were',
  ilr: 'isometric log-ratios (ilr), one fewer, were',
};

function describeTransforms(columns: readonly EncodedColumn[]): string[] {
  return Object.entries(FUNCTIONS).flatMap(([transform, what]) => {
    const names = columns.flatMap((column) =>
      column.kind === 'number' && column.transform === transform ? [column.name] : [],
    );
    if (names.length === 0) return [];
    const which =
      names.length === columns.length
        ? `all ${plural(names.length, 'column')}`
        : `${names.length === 1 ? 'column' : 'columns'} ${some(names)}`;
    return [`Instead of the values of ${which}, ${what} analysed.`];
  });
}

function describePooled(categories: readonly CategoryColumn[]): string[] {
  const pooled = categories.flatMap(({ name, levels, shares, other }) =>
    other === undefined ? [] : [`${name} (${levels[other]}, ${percent(shares[other])})`],
  );
  return pooled.length === 0 ? [] : [`Rare levels were pooled into one: ${some(pooled)}.`];
}

function describeRules({ missing, unseen, columns }: Encoding): string[] {
  const pools = columns.some((column) => column.kind === 'category' && column.other !== undefined);
  return [
    ...(missing === 'mean' ? ['A missing value counts as the average of its column.'] : []),
    ...(missing === 'level'
      ? ['A missing value is a level of its own in categories that had some in the fit, and the average elsewhere.']
      : []),
    ...(unseen === 'mean'
      ? [`Levels that the fit did not see count as the average${pools ? ' where rare levels were not pooled' : ''}.`]
      : []),
  ];
}

function describeRegression({ regression, unseen }: Encoding): string[] {
  if (!regression) return [];
  const names = regression.covariates.map(({ name, levels }) =>
    levels ? `${name} (${plural(levels.length, 'level')})` : name,
  );
  return [
    `Residuals: what a regression of every column on ${some(names)} leaves was analysed; variances and scores are those of residuals.`,
    ...(unseen === 'mean' ? ['Levels that the fit did not see count as the average.'] : []),
  ];
}

function some(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return listed(names);
  return listed([...names.slice(0, MOST_NAMES), `${count(names.length - MOST_NAMES)} more`]);
}
