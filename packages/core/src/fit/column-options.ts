import type { ProgressTracker } from '../base/progress.js';
import type { RowSource } from '../data/blocks/row-source.js';
import { encodedSource } from '../data/encoding/encoded-source.js';
import type { EncodedColumn, Encoding, Transform } from '../data/encoding/encoding.js';
import { learnEncoding } from '../data/encoding/learn-encoding.js';
import { medianScales } from '../data/statistics/column-medians.js';
import { rowWeights } from '../data/statistics/weights.js';
import { describeValue, OptionError } from '../errors.js';
import type { PcaOptions, Settings } from '../options.js';
import { sourceTable } from '../table/to-row-source.js';
import { rereadable } from './reading.js';

/**
 * Applies the options `columnTransform` and `scale: 'median'` to columns of numbers. Most transforms are applied while rows are read.
 * Ranks and medians need passes of their own, so the rows of a stream are kept for them.
 */
export async function applyColumnOptions(
  given: RowSource,
  settings: Settings,
  progress: ProgressTracker,
): Promise<PreparedColumns> {
  try {
    const coded = await transformColumns(given, settings, progress);
    if (coded.settings.scale !== 'median') return coded;
    const source = await rereadable(coded.source, progress);
    const weights = rowWeights(settings.weights, source.rows);
    const names = coded.settings.columnNames ?? source.columnNames;
    const scale = await medianScales(source, weights, progress, names);
    return { source, settings: { ...coded.settings, scale, scaling: 'median' } };
  } catch (error) {
    await given.close?.();
    throw error;
  }
}

interface PreparedColumns {
  readonly source: RowSource;
  readonly settings: Settings;
}

/** Applies the option `columnTransform`. Returns the encoded source, and settings that contain its encoding. */
export async function transformColumns(
  given: RowSource,
  settings: Settings,
  progress: ProgressTracker,
): Promise<PreparedColumns> {
  const { columnTransform: transform, columnNames, ...others } = settings;
  if (transform === undefined || transform === 'none') return { source: given, settings };
  const names = columnNames ?? given.columnNames;
  const labels = names ?? Array.from({ length: given.cols }, (_, j) => String(j));
  const transformOf = transformsOf(transform, labels);
  const columns = labels.map((name): EncodedColumn => ({ kind: 'number', name, transform: transformOf(name) }));
  const rules = { method: 'pca', missing: 'error', unseen: 'error' } as const;
  const plain: Encoding = { version: 1, ...rules, named: names !== undefined, columns };
  if (labels.every((name) => transformOf(name) !== 'rank')) {
    return { source: encodedSource(sourceTable(given, names), plain), settings: { ...others, coding: plain } };
  }
  const source = await rereadable(given, progress);
  const weights = rowWeights(settings.weights, source.rows);
  const table = sourceTable(source, names);
  const learned = await learnEncoding(
    table,
    { ...rules, rare: 0, isCategory: () => false, transformOf },
    weights,
    progress,
  );
  const ranked = columns.map((column, j) => (transformOf(column.name) === 'rank' ? learned.coding.columns[j] : column));
  const encoding = { ...plain, columns: ranked };
  return { source: encodedSource(table, encoding), settings: { ...others, coding: encoding } };
}

/**
 * Returns the transform of each column. Throws if a column is unknown, if both kinds of composition are used, or if a composition
 * has only one part.
 */
export function transformsOf(
  transform: PcaOptions['columnTransform'],
  names: readonly string[],
): (name: string) => Transform {
  if (transform === undefined) return () => 'none';
  const byName = typeof transform === 'string' ? undefined : new Map(Object.entries(transform));
  for (const name of byName?.keys() ?? []) {
    if (!names.includes(name))
      throw bad(`columnTransform names a column ${describeValue(name)}, which the data do not have.`, name);
  }
  const transformOf = (name: string): Transform => (byName ? (byName.get(name) ?? 'none') : (transform as Transform));
  const parts = names.filter((name) => ['clr', 'ilr'].includes(transformOf(name)));
  if (new Set(parts.map(transformOf)).size > 1) {
    throw bad(
      "columnTransform has both 'clr' and 'ilr'. The columns that have one of them are the parts of one composition: choose one.",
    );
  }
  if (parts.length === 1) {
    throw bad(
      `columnTransform: '${transformOf(parts[0])}' is for the parts of a composition, and ${describeValue(parts[0])} is the only one.`,
    );
  }
  return transformOf;
}

function bad(message: string, columnName?: string): OptionError {
  return new OptionError('BAD_OPTION', message, { option: 'columnTransform', ...(columnName ? { columnName } : {}) });
}
