import { plural } from '@scree/analysis/describe';
import { DataError, type Encoding, type Model } from '@scree/core';
import { compositionParts, decodeNumbers, hasCategories } from '@scree/core/data';
import type { DataFile, FileOptions, OpenOptions } from '../disk/index.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { UsageError } from './usage-error.js';

/**
 * Options to read rows for a model: its columns, found by name if it has names, in any order and among any others. Missing values are
 * filled with the means of the model, if it has means, so that the scores of a row do not depend on other rows.
 */
export function fileOptionsFor(model: Model, flags: Call['flags'], signal: AbortSignal): OpenOptions {
  const { coding } = model;
  const { missing, ...options } = fileOptions(flags, signal);
  const categories = coding?.columns.flatMap(({ kind, name }) => (kind === 'category' ? [name] : [])) ?? [];
  const covariates = coding?.regression?.covariates ?? [];
  const labels = covariates.filter(({ levels }) => levels).map(({ name }) => name);
  const numbers = covariates.filter(({ levels }) => !levels).map(({ name }) => name);
  if (categories.length === 0) {
    if ((missing as string) === 'level')
      throw new UsageError('--missing level is for categories, and the model has none.');
    if (flags.unseen !== undefined && labels.length === 0)
      throw new UsageError('--unseen is about categories, and the model has none.');
  }
  // Gaps of a table with categories are the encoding's concern.
  const gaps = coding && coding.method !== 'pca' && missing !== 'drop' ? {} : { missing };
  return {
    ...options,
    ...gaps,
    ...columnsFor(coding ? namesOf(coding) : model.columnNames, [...numbers, ...labels], options),
    ...(covariates.length > 0 ? { supplementary: numbers, groups: labels } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(gaps.missing === 'mean' && model.centered ? { fill: fillFor(model) } : {}),
  };
}

/** Names of the columns that are encoded, where they have names. */
function namesOf({ named, columns }: Encoding): string[] | undefined {
  return named ? columns.map(({ name }) => name) : undefined;
}

/** What fills gaps: the mean of each column, or where columns are transformed, the value at which the transformed column has its mean. */
function fillFor({ coding, mean: ownMean }: Model): Float64Array {
  if (!coding) return ownMean;
  // The model's own means are those of residuals.
  const mean = coding.regression ? Float64Array.from(coding.regression.mean) : ownMean;
  if (compositionParts(coding.columns).length > 0)
    throw new UsageError('--missing mean would change the proportions of a composition: use --missing drop.');
  return decodeNumbers(coding, { rows: 1, cols: mean.length, data: mean }).data;
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
  if (same) return { columns: names };
  // Columns with other names than the model's are taken in their order: --columns says which is which.
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

/** The rows of a file as the columns of a model: encoded, where the model has an encoding. */
export function readFor(model: Model, file: DataFile, { flags }: Pick<Call, 'flags'>, path: string): DataFile {
  const { coding } = model;
  const given = coding && coding.method !== 'pca' ? file.table.columns.length : file.source.cols;
  const expected = coding ? coding.columns.length : model.d;
  if (given !== expected) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `${path} has ${plural(given, coding && hasCategories(coding) ? 'column' : 'numeric column')}, and the model was fitted to ${expected}. Choose the same ones with --columns.`,
      { value: given, expected },
    );
  }
  // Beside the rows are covariates, and nothing that was asked for.
  const beside = coding?.regression ? { supplementary: [], groups: [] } : {};
  return coding ? file.encode(ruledBy(coding, flags), beside) : file;
}

/** The encoding with the rules for gaps and unseen levels that the flags ask for. */
function ruledBy(coding: Encoding, { missing, unseen }: Call['flags']): Encoding {
  // Gaps in columns of numbers are filled or refused before they are encoded.
  const gaps = coding.method !== 'pca' && (missing === 'mean' || missing === 'level' || missing === 'error');
  return {
    ...coding,
    ...(gaps ? { missing } : {}),
    ...(unseen === undefined ? {} : { unseen: unseen as Encoding['unseen'] }),
  };
}
