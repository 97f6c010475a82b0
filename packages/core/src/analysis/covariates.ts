import type { Matrix } from '../data/matrix.js';
import { matrixSource } from '../data/memory-source.js';
import { type Data, openSource, type RowSource } from '../data/open-source.js';
import { isMatrix } from '../data/to-block.js';
import { DataError, show } from '../errors.js';
import type { ProgressTracker } from '../progress.js';

/** Covariates by name, one value per row: numbers, or labels of groups. */
export type CovariateColumns = Readonly<Record<string, ArrayLike<number> | readonly string[]>>;

/** Covariates of rows: columns by name, or a table of numbers that is read in step with the rows. */
export type Covariates = CovariateColumns | Data;

/** How covariates become numbers: a label becomes an indicator of each level but the first. */
export interface CovariateCoding {
  /** One name per number of a coded row: `age`, or `batch: B2`. */
  readonly terms: readonly string[];
  /** Undefined for a table of numbers. */
  readonly columns: readonly { readonly name: string; readonly levels: readonly string[] | undefined }[] | undefined;
}

/** Covariates as a source of numbers, with the coding that was made of them, or the one that is given. */
export async function openCovariates(
  covariates: Covariates,
  progress: ProgressTracker,
  given?: CovariateCoding,
): Promise<{ source: RowSource; coding: CovariateCoding }> {
  if (isColumns(covariates)) {
    const coding = given ?? codingOf(covariates);
    return { source: matrixSource(coded(covariates, coding)), coding };
  }
  const source = await openSource(covariates as Data, progress);
  const terms = source.columnNames ?? Array.from({ length: source.cols }, (_, j) => `covariate ${j + 1}`);
  if (given && (given.columns || given.terms.length !== source.cols)) {
    await source.close?.();
    throw new DataError('WIDTH_MISMATCH', `Give the same covariates as before: ${given.terms.join(', ')}.`, {
      value: source.cols,
      expected: given.terms.length,
    });
  }
  return { source, coding: given ?? { terms, columns: undefined } };
}

function isColumns(value: Covariates): value is CovariateColumns {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isMatrix(value)) return false;
  if (Symbol.iterator in value || Symbol.asyncIterator in value || 'blocks' in value) return false;
  const lists = Object.values(value);
  return lists.length > 0 && lists.every((list) => Array.isArray(list) || ArrayBuffer.isView(list));
}

function codingOf(covariates: CovariateColumns): CovariateCoding {
  const columns = Object.entries(covariates).map(([name, values]) => ({
    name,
    levels:
      typeof values[0] === 'string'
        ? [...new Set(Array.from(values as readonly string[]).filter((value) => typeof value === 'string'))]
        : undefined,
  }));
  const terms = columns.flatMap(({ name, levels }) => levels?.slice(1).map((level) => `${name}: ${level}`) ?? [name]);
  return { terms, columns };
}

/** The numbers of covariates, one row per row of the data. */
function coded(covariates: CovariateColumns, { columns, terms }: CovariateCoding): Matrix<Float64Array> {
  const names = columns?.map(({ name }) => name);
  if (!columns || Object.keys(covariates).length !== columns.length || !names?.every((name) => name in covariates)) {
    throw new DataError('MISSING_COLUMN', `Give the same covariates as before: ${(names ?? terms).join(', ')}.`);
  }
  const rows = covariates[columns[0].name].length;
  const cols = terms.length;
  const data = new Float64Array(rows * cols);
  let at = 0;
  for (const { name, levels } of columns) {
    const values: ArrayLike<number | string> = covariates[name];
    const places = levels && new Map(levels.map((level, at) => [level, at]));
    if (values.length !== rows) {
      throw new DataError('BAD_DATA', `There are ${values.length} values of ${show(name)} for ${rows} rows.`, {
        columnName: name,
        value: values.length,
        expected: rows,
      });
    }
    for (let i = 0; i < rows; i++) {
      const value = values[i];
      if (!places) {
        if (typeof value !== 'number' || !Number.isFinite(value)) throw notUsable(name, i, value, 'a number');
        data[i * cols + at] = value;
        continue;
      }
      const level = places.get(value as string);
      if (level === undefined) throw notUsable(name, i, value, `one of ${someOf([...places.keys()])}`);
      if (level > 0) data[i * cols + at + level - 1] = 1;
    }
    at += levels ? levels.length - 1 : 1;
  }
  if (cols === 0) {
    throw new DataError('BAD_DATA', `All rows have the same ${names.join(' and ')}, so there is nothing to take out.`);
  }
  return { rows, cols, data };
}

function someOf(levels: readonly string[]): string {
  return levels.slice(0, 5).map(show).join(', ') + (levels.length > 5 ? ', …' : '');
}

function notUsable(name: string, row: number, value: unknown, must: string): DataError {
  return new DataError('BAD_DATA', `${show(name)} of row ${row + 1} is ${show(value)}; it must be ${must}.`, {
    row,
    columnName: name,
    value,
  });
}
