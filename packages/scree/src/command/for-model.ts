import { plural } from '@scree/analysis/describe';
import { DataError, type Encoding, type Model } from '@scree/core';
import { compositionParts, decodeNumbers, hasCategories } from '@scree/core/data';
import { rangeEnds } from '@scree/files/platform';
import type { DataFile, FileOptions, OpenOptions } from '../disk/index.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { UsageError } from './usage-error.js';

/**
 * Options to read rows for a model: its columns, found by name if it has names, in any order and among any others. Missing values are
 * filled with the means of the model, if it has means, so that the scores of a row do not depend on other rows.
 */
export function fileOptionsFor(model: Model, flags: Call['flags'], signal: AbortSignal): OpenOptions {
  const { coding: encoding } = model;
  const { missing, ...options } = fileOptions(flags, signal);
  const categories = encoding?.columns.flatMap(({ kind, name }) => (kind === 'category' ? [name] : [])) ?? [];
  const covariates = encoding?.regression?.covariates ?? [];
  const labels = covariates.filter(({ levels }) => levels).map(({ name }) => name);
  const numbers = covariates.filter(({ levels }) => !levels).map(({ name }) => name);
  if (categories.length === 0) {
    if ((missing as string) === 'level')
      throw new UsageError('--missing level is for categories, and the model has none.');
    if (flags.unseen !== undefined && labels.length === 0)
      throw new UsageError('--unseen is about categories, and the model has none.');
  }
  // The encoding treats the missing values of a table with categories.
  const gaps = encoding && encoding.method !== 'pca' && missing !== 'drop' ? {} : { missing };
  return {
    ...options,
    ...gaps,
    ...columnsFor(encoding ? namesOf(encoding) : model.columnNames, [...numbers, ...labels], options),
    ...(covariates.length > 0 ? { supplementary: numbers, groups: labels } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(gaps.missing === 'mean' && model.centered ? { fill: fillFor(model) } : {}),
  };
}

/** Names of the columns that are encoded, if they have names. */
function namesOf({ named, columns }: Encoding): string[] | undefined {
  return named ? columns.map(({ name }) => name) : undefined;
}

/** The values that replace missing values: the mean of each column. For a transformed column, the value whose transform is the mean. */
function fillFor({ coding: encoding, mean: ownMean }: Model): Float64Array {
  if (!encoding) return ownMean;
  // The model's own means are means of residuals.
  const mean = encoding.regression ? Float64Array.from(encoding.regression.mean) : ownMean;
  if (compositionParts(encoding.columns).length > 0)
    throw new UsageError('--missing mean would change the proportions of a composition: use --missing drop.');
  return decodeNumbers(encoding, { rows: 1, cols: mean.length, data: mean }).data;
}

function columnsFor(
  names: readonly string[] | undefined,
  covariates: readonly string[],
  { columns, exclude = [] }: FileOptions,
): FileOptions {
  if (!names) return {};
  if (columns === undefined) {
    const needed = exclude.find((name) => [...names, ...covariates].includes(name));
    if (needed === undefined) return { columns: names };
    throw new UsageError(`--exclude leaves out ${JSON.stringify(needed)}, and the model was fitted to it.`);
  }
  const same = columns.length === names.length && columns.every((name) => names.includes(name));
  // A range has the columns in the order of this file, which may differ from the model's.
  const isName = (text: string): boolean => names.includes(text);
  const isRange = (given: string): boolean =>
    !isName(given) && (/^\/.+\/i?$/.test(given) || rangeEnds(given, isName) !== undefined);
  if (same || columns.some(isRange)) return { columns: names };
  // Columns with other names than the model's are matched in the order of --columns.
  const moved = columns.find((name, j) => names.includes(name) && names[j] !== name);
  if (moved === undefined) return {};
  throw new UsageError(
    `--columns has ${JSON.stringify(moved)} in another place than the model, whose columns are ${listed(names)}. Name them in this order.`,
  );
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${some}, … (${names.length} in all)` : some;
}

/** The rows of a file with the columns of a model. They are encoded if the model has an encoding. */
export function readFor(model: Model, file: DataFile, { flags }: Pick<Call, 'flags'>, path: string): DataFile {
  const { coding: encoding } = model;
  const given = encoding && encoding.method !== 'pca' ? file.table.columns.length : file.source.cols;
  const expected = encoding ? encoding.columns.length : model.d;
  if (given !== expected) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `${path} has ${plural(given, encoding && hasCategories(encoding) ? 'column' : 'numeric column')}, and the model was fitted to ${expected}. Choose the same ones with --columns.`,
      { value: given, expected },
    );
  }
  // The covariates were read as supplementary columns and groups. The user did not ask for them, so they are not kept.
  const beside = encoding?.regression ? { supplementary: [], groups: [] } : {};
  return encoding ? file.encode(ruledBy(encoding, flags), beside) : file;
}

/** The encoding with the flags' rules for missing values and unseen levels. */
function ruledBy(encoding: Encoding, { missing, unseen }: Call['flags']): Encoding {
  // Missing values in columns of numbers are filled or refused before they are encoded.
  const gaps = encoding.method !== 'pca' && (missing === 'mean' || missing === 'level' || missing === 'error');
  return {
    ...encoding,
    ...(gaps ? { missing } : {}),
    ...(unseen === undefined ? {} : { unseen: unseen as Encoding['unseen'] }),
  };
}
