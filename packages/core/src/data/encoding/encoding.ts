/**
 * An `Encoding` converts mixed tables to numbers, so that PCA can analyse them.
 *
 * 1. A `Table` (table/table.ts) yields batches of numbers and of texts or values.
 * 2. `learnEncoding` (learn-encoding.ts) reads the table once: kinds of columns, levels with their shares, means, ranks.
 * 3. An `Encoding` is the result: an immutable record per input column, which is stored in the model.
 * 4. `encodedSource` (encoded-source.ts) converts a table to a `RowSource` of numbers, block by block. A category of m levels
 *    becomes m columns of 0 and 1. A number becomes one column, transformed.
 * 5. `mca`, `famd` and `mfa` of @scree/analysis are `pca` of that source with ddof 0 and one divisor per column:
 *    √share for a level and the deviation for a number (FAMD), times √Q for Q categories (MCA), times √λ₁ of its group (MFA).
 * 6. `model.transform` applies the encoding to the user's table. decode.ts inverts it.
 * 7. Missing values have three rules. `'error'`: they are refused. `'mean'`: they become the mean of the column, which for a
 *    category is the share of every level. `'level'`: they become a level of a category, or the mean of a column of numbers.
 * 8. Rare levels are pooled into one level on request. Levels that the fit did not see join this pool. Without a pool, they
 *    are refused (`'error'`) or replaced by the mean (`'mean'`).
 * 9. A regression on covariates (regression.ts) is subtracted from the encoded columns last. The table then has the covariates
 *    after its columns, and the components describe residuals.
 */

import { describeValue, ModelError } from '../../errors.js';

/** Functions of one number, except `clr` and `ilr`: they are functions of all columns that have them, the parts of a composition. */
export const TRANSFORMS = ['none', 'log1p', 'sqrt', 'asinh', 'rank', 'clr', 'ilr'] as const;
/** A function of a column, or of the parts of a composition, before it is centred and scaled. */
export type Transform = (typeof TRANSFORMS)[number];

/** The rules for missing values: null, undefined, NaN, and '' in categories. */
export const MISSING_RULES = ['error', 'mean', 'level'] as const;
/** The rule for missing values. */
export type MissingRule = (typeof MISSING_RULES)[number];

/** The rules for levels that the fit did not see. */
export const UNSEEN_RULES = ['error', 'mean'] as const;
/** The rule for levels that the fit did not see. */
export type UnseenRule = (typeof UNSEEN_RULES)[number];

export const ENCODING_METHODS = ['pca', 'mca', 'famd', 'mfa'] as const;
/** The method that an encoding was made for. */
export type EncodingMethod = (typeof ENCODING_METHODS)[number];

/** A column of numbers, with its transform. */
export interface NumberColumn {
  readonly kind: 'number';
  readonly name: string;
  readonly transform: Transform;
  /** Mean and deviation (ddof 0) of the transformed values, if they were learned. The mean replaces missing values. */
  readonly mean?: number;
  readonly deviation?: number;
  /** For `rank`: the distinct values in ascending order, and their ranks. Ties have the mean of their ranks. */
  readonly values?: readonly number[];
  readonly ranks?: readonly number[];
}

/** A column of categories: each level becomes a column of zeros and ones. */
export interface CategoryColumn {
  readonly kind: 'category';
  readonly name: string;
  readonly levels: readonly string[];
  /** The share of each level among the rows that have a level. They add up to 1. */
  readonly shares: readonly number[];
  /** Index of the level that pools rare and unseen levels, and of the level for missing values. */
  readonly other?: number;
  readonly gap?: number;
}

/** The encoding of one column of a table. */
export type EncodedColumn = NumberColumn | CategoryColumn;

/** A group of MFA: the number of its columns, which are consecutive, and the first eigenvalue of their separate analysis. */
export interface EncodedGroup {
  readonly name: string;
  readonly columns: number;
  readonly eigenvalue: number;
}

/** A covariate: numbers, or labels. Labels have one term per level except the first. */
export interface EncodedCovariate {
  readonly name: string;
  readonly levels?: readonly string[];
}

/**
 * A regression that is subtracted from the encoded columns x: x − mean − (c − covariateMean)·slopes. c are the terms of the covariates.
 */
export interface EncodedRegression {
  readonly covariates: readonly EncodedCovariate[];
  /** The means of the encoded columns, and of the terms, in the fit. */
  readonly mean: readonly number[];
  readonly covariateMean: readonly number[];
  /** One list per term. Each list has one number per encoded column. */
  readonly slopes: readonly (readonly number[])[];
}

/** How a table becomes numbers. */
export interface Encoding {
  readonly version: 1;
  readonly method: EncodingMethod;
  /** True if the columns have names. Otherwise their order identifies them. */
  readonly named: boolean;
  readonly missing: MissingRule;
  readonly unseen: UnseenRule;
  readonly columns: readonly EncodedColumn[];
  readonly groups?: readonly EncodedGroup[];
  readonly regression?: EncodedRegression;
}

/**
 * The number of encoded columns of an input column. It is 0 for the first part of an ilr composition, because D parts have D − 1
 * coordinates.
 */
export function widthOf(column: EncodedColumn, at: number, columns: readonly EncodedColumn[]): number {
  if (column.kind === 'category') return column.levels.length;
  return column.transform === 'ilr' && columns.findIndex((each) => isPart(each, 'ilr')) === at ? 0 : 1;
}

/** The index of the first encoded column of each input column, followed by the number of all encoded columns. */
export function offsetsOf({ columns }: Pick<Encoding, 'columns'>): number[] {
  const offsets = [0];
  columns.forEach((column, at) => {
    offsets.push(offsets[at] + widthOf(column, at, columns));
  });
  return offsets;
}

/** Names of the encoded columns: `sex=F`, `log1p(income)`, `ilr1`. */
export function encodedNames({ columns, named }: Pick<Encoding, 'columns' | 'named'>): readonly string[] | undefined {
  if (!named && columns.every(({ kind }) => kind === 'number')) return undefined;
  let coordinate = 0;
  return columns.flatMap((column, at) => {
    if (column.kind === 'category') return column.levels.map((level) => `${column.name}=${level}`);
    if (column.transform === 'none') return [column.name];
    if (column.transform !== 'ilr') return [`${column.transform}(${column.name})`];
    return widthOf(column, at, columns) === 0 ? [] : [`ilr${++coordinate}`];
  });
}

/** The names of the columns that an encoding reads: the encoded ones, then covariates. Undefined if columns have no names. */
export function inputNames({ named, columns, regression }: Encoding): readonly string[] | undefined {
  return named ? [...columns, ...(regression?.covariates ?? [])].map(({ name }) => name) : undefined;
}

/** The number of columns that an encoding reads. */
export function inputWidth({ columns, regression }: Encoding): number {
  return columns.length + (regression?.covariates.length ?? 0);
}

/** The names of the terms of covariates: `age`, or `batch: B2` for every level except the first. */
export function termNames(covariates: readonly EncodedCovariate[]): string[] {
  return covariates.flatMap(({ name, levels }) => levels?.slice(1).map((level) => `${name}: ${level}`) ?? [name]);
}

/**
 * The encoding, if it can be inverted; otherwise undefined. Residuals cannot be inverted, because scores do not contain the
 * covariates.
 */
export function reversible(encoding: Encoding | undefined): Encoding | undefined {
  return encoding?.regression ? undefined : encoding;
}

/** The indexes of the columns that are parts of a composition. */
export function compositionParts(columns: readonly EncodedColumn[]): number[] {
  return [...columns.keys()].filter((j) => isPart(columns[j], 'clr') || isPart(columns[j], 'ilr'));
}

function isPart(column: EncodedColumn, transform: 'clr' | 'ilr'): boolean {
  return column.kind === 'number' && column.transform === transform;
}

/** Returns true if a column is a category. */
export function hasCategories({ columns }: Pick<Encoding, 'columns'>): boolean {
  return columns.some(({ kind }) => kind === 'category');
}

/** Throws if a stored encoding is invalid, or does not fit a model of d columns. It may have any type. */
export function checkEncoding(encoding: unknown, d: number): void {
  if (encoding === undefined) return;
  demand(isObject(encoding), 'is not a record');
  const { version, method, named, missing, unseen, columns, groups, regression } = encoding as Record<string, unknown>;
  demand(version === 1, `has version ${describeValue(version)}`);
  demand(ENCODING_METHODS.includes(method as EncodingMethod), `has the method ${describeValue(method)}`);
  demand(typeof named === 'boolean', 'does not say whether columns have names');
  demand(MISSING_RULES.includes(missing as MissingRule), `has ${describeValue(missing)} for gaps`);
  demand(UNSEEN_RULES.includes(unseen as UnseenRule), `has ${describeValue(unseen)} for unseen levels`);
  demand(Array.isArray(columns) && columns.length > 0, 'has no columns');
  const list = columns as unknown[];
  for (const column of list) checkColumn(column);
  const checked = list as EncodedColumn[];
  demand(new Set(checked.map(({ name }) => name)).size === checked.length, 'has two columns of one name');
  demand(!(checked.some((c) => isPart(c, 'clr')) && checked.some((c) => isPart(c, 'ilr'))), 'mixes clr and ilr');
  const width = offsetsOf({ columns: checked })[checked.length];
  demand(width === d, `makes ${width} columns of a table, and the model has ${d}`);
  const isGroup = (group: unknown): boolean =>
    isObject(group) &&
    typeof group.name === 'string' &&
    Number.isSafeInteger(group.columns) &&
    (group.columns as number) >= 1 &&
    isPositive(group.eigenvalue);
  demand(groups === undefined || (Array.isArray(groups) && groups.every(isGroup)), 'has invalid groups');
  const grouped = ((groups ?? []) as EncodedGroup[]).reduce((sum, group) => sum + group.columns, 0);
  demand(groups === undefined || grouped === checked.length, `has groups of ${grouped} columns`);
  demand((method === 'mfa') === (groups !== undefined), 'has groups without MFA, or MFA without groups');
  if (regression === undefined) return;
  demand(method === 'pca', `has a regression and the method ${describeValue(method)}`);
  checkRegression(regression, d);
  const names = inputNames(encoding as unknown as Encoding);
  demand(!names || new Set(names).size === names.length, 'has a covariate that is a column too');
}

function checkRegression(regression: unknown, d: number): void {
  demand(isObject(regression), 'has an invalid regression');
  const { covariates, mean, covariateMean, slopes } = regression;
  const isLevels = (levels: unknown): boolean =>
    isList(levels, (level) => typeof level === 'string') && levels.length > 0 && new Set(levels).size === levels.length;
  const isCovariate = (each: unknown): boolean =>
    isObject(each) && typeof each.name === 'string' && (each.levels === undefined || isLevels(each.levels));
  demand(isList(covariates, isCovariate), 'has a regression without covariates');
  const terms = termNames(covariates as EncodedCovariate[]).length;
  const isNumbers = (list: unknown, length: number): boolean => isList(list, isNumber) && list.length === length;
  demand(terms > 0, 'has a regression without terms');
  demand(isNumbers(mean, d) && isNumbers(covariateMean, terms), 'has a regression without means');
  demand(isList(slopes, (list) => isNumbers(list, d)) && slopes.length === terms, 'has a regression without slopes');
}

function checkColumn(column: unknown): void {
  demand(isObject(column) && typeof column.name === 'string', 'has a column without a name');
  const { kind, name, transform, mean, deviation, values, ranks, levels, shares, other, gap } = column as Record<
    string,
    unknown
  >;
  const bad = (what: string): string => `has a column ${describeValue(name)} ${what}`;
  demand(kind === 'number' || kind === 'category', bad(`of kind ${describeValue(kind)}`));
  if (kind === 'number') {
    demand(TRANSFORMS.includes(transform as Transform), bad(`with the transform ${describeValue(transform)}`));
    demand(mean === undefined || isNumber(mean), bad('whose mean is not a number'));
    demand(deviation === undefined || (isNumber(deviation) && deviation >= 0), bad('whose deviation is not a number'));
    if (transform !== 'rank') return;
    demand(isRising(values) && isRising(ranks) && values.length === ranks.length, bad('without ranks'));
    return;
  }
  demand(isList(levels, (level) => typeof level === 'string') && levels.length > 0, bad('without levels'));
  const count = (levels as unknown[]).length;
  demand(new Set(levels as unknown[]).size === count, bad('with two levels of one name'));
  demand(isList(shares, isPositive) && shares.length === count, bad('without shares'));
  const total = (shares as number[]).reduce((sum, share) => sum + share, 0);
  demand(Math.abs(total - 1) < 1e-6, bad(`whose shares add up to ${total}`));
  for (const index of [other, gap]) {
    demand(
      index === undefined || (Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) < count),
      bad(`with a level ${describeValue(index)}`),
    );
  }
}

function isRising(value: unknown): value is number[] {
  return (
    isList(value, isNumber) &&
    value.length > 0 &&
    value.every((each, i) => i === 0 || Number(each) > Number(value[i - 1]))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isList(value: unknown, each: (entry: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(each);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isPositive(value: unknown): value is number {
  return isNumber(value) && value > 0;
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ModelError('BAD_MODEL', `This is not a model: its coding ${what}.`);
}
