import { type Data, DataError, type Matrix, type RowSource } from '@scree/core';
import type { EncodedCovariate } from '@scree/core/data';
import { isMatrix, matrixSource, openSource, TermEncoder, termNames } from '@scree/core/data';
import { describeValue, type ProgressTracker } from '@scree/core/pipeline';

/** Covariates by name, one value per row: numbers, or labels of groups. */
export type CovariateColumns = Readonly<Record<string, ArrayLike<number> | readonly string[]>>;

/** Covariates of rows: columns by name, or a table of numbers that is read together with the rows. */
export type Covariates = CovariateColumns | Data;

/** How covariates become numbers: a label becomes an indicator of each level but the first. */
export interface CovariateEncoding {
  /** One name per number of an encoded row: `age`, or `batch: B2`. */
  readonly terms: readonly string[];
  /** Undefined for a table of numbers. */
  readonly columns: readonly EncodedCovariate[] | undefined;
}

/** Covariates as a source of numbers, with the encoding that was made of them, or the one that is given. */
export async function openCovariates(
  covariates: Covariates,
  progress: ProgressTracker,
  given?: CovariateEncoding,
): Promise<{ source: RowSource; coding: CovariateEncoding }> {
  if (isColumns(covariates)) {
    const encoding = given ?? encodingOf(covariates);
    return { source: matrixSource(coded(covariates, encoding)), coding: encoding };
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

function encodingOf(covariates: CovariateColumns): CovariateEncoding {
  const columns = Object.entries(covariates).map(([name, values]) => {
    if (typeof values[0] !== 'string') return { name };
    const texts = Array.from(values as readonly string[]).filter((value) => typeof value === 'string');
    return { name, levels: [...new Set(texts)] };
  });
  return { terms: termNames(columns), columns };
}

/** The numbers of covariates, one row per row of the data. */
function coded(covariates: CovariateColumns, { columns, terms }: CovariateEncoding): Matrix<Float64Array> {
  const names = columns?.map(({ name }) => name);
  if (
    !columns ||
    Object.keys(covariates).length !== columns.length ||
    !names?.every((name) => Object.hasOwn(covariates, name))
  ) {
    throw new DataError('MISSING_COLUMN', `Give the same covariates as before: ${(names ?? terms).join(', ')}.`);
  }
  const rows = covariates[columns[0].name].length;
  for (const { name } of columns) {
    const { length } = covariates[name];
    if (length === rows) continue;
    throw new DataError('BAD_DATA', `There are ${length} values of ${describeValue(name)} for ${rows} rows.`, {
      columnName: name,
      value: length,
      expected: rows,
    });
  }
  const lists = columns.map(({ name }): ArrayLike<number | string> => covariates[name]);
  const batch = { columns: lists.map((list) => (i: number) => list[i]), rowNumber: (i: number) => i };
  const data = new TermEncoder(columns).encode(batch, 0, rows, 0);
  if (terms.length === 0) {
    throw new DataError('BAD_DATA', `All rows have the same ${names.join(' and ')}, so there is nothing to take out.`);
  }
  return { rows, cols: terms.length, data };
}
