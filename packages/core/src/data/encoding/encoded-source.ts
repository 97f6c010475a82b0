import { mapAsync } from '../../base/map-async.js';
import type { ProgressTracker } from '../../base/progress.js';
import { DataError } from '../../errors.js';
import { changeTable, type Table } from '../../table/table.js';
import { sourceTable, toRowSource } from '../../table/to-row-source.js';
import { type TableData, toTable } from '../../table/to-table.js';
import type { Warning } from '../../warning.js';
import type { Block } from '../blocks/block.js';
import { mapSource, type RowSource } from '../blocks/row-source.js';
import { type Data, openSource } from '../inputs/open-source.js';
import type { Row } from '../inputs/row-gatherer.js';
import { asRows } from '../inputs/to-block.js';
import { encodeColumns } from './encode-columns.js';
import { type Encoding, hasCategories, inputNames, inputWidth } from './encoding.js';

/** An encoded table of at most this number of entries is kept between passes: 32 MB. */
const KEPT_NUMBERS = 1 << 22;

export interface EncodeOptions {
  /**
   * Present for the rows of the fit: levels that are not in the encoding then belong to rows of weight 0, and another number of
   * rows is an error.
   */
  readonly fitted?: { readonly rows: number };
  readonly warnings?: readonly Warning[];
}

/** Opens the user's data as the columns of a model. Encodes them if the model has an encoding. The caller closes the source. */
export async function openForModel(
  given: TableData | Row,
  model: { readonly coding?: Encoding; readonly columnNames?: readonly string[] },
  progress: ProgressTracker,
): Promise<RowSource> {
  const { coding: encoding, columnNames } = model;
  const data = asRows(given, encoding ? inputNames(encoding) : columnNames) as TableData;
  if (!encoding) return openSource(data as Data, progress, columnNames);
  const names = inputNames(encoding);
  if (!hasCategories(encoding) && encoding.method === 'pca' && !encoding.regression) {
    const source = await openSource(data as Data, progress, names);
    return encodedSource(sourceTable(checkWidth(source, source.cols, encoding), names), encoding);
  }
  const table = await toTable(data, progress, names);
  return encodedSource(checkWidth(table, table.width, encoding), encoding);
}

function checkWidth<Opened>(opened: Opened, width: number, encoding: Encoding): Opened {
  const expected = inputWidth(encoding);
  if (width === expected) return opened;
  const covariates = encoding.regression ? ' and covariates' : '';
  throw new DataError(
    'WIDTH_MISMATCH',
    `These rows have ${width} columns, but the model was fitted to ${expected}${covariates}. Pass the same columns in the same order.`,
    { value: width, expected },
  );
}

/** A table as a source of rows of numbers. An encoded table that is small is kept between passes. */
export function encodedSource(table: Table<unknown>, encoding: Encoding, options: EncodeOptions = {}): RowSource {
  const { fitted, warnings = [] } = options;
  const { rows = fitted?.rows, rereadable, nonzeros } = table;
  const encoded = encodeColumns(changeTable(table, { rows }), encoding, { fitted: fitted !== undefined });
  const stored = encoded.nonzeros ?? (rows ?? Number.POSITIVE_INFINITY) * encoded.width;
  const small = rereadable && nonzeros === undefined && stored <= KEPT_NUMBERS;
  let kept: readonly Block[] | undefined;
  const read = (): AsyncIterable<Block> => {
    const all: Block[] = [];
    let count = 0;
    return mapAsync(
      encoded.read({ numbers: 'all' }),
      ({ block }) => {
        count += block.rows;
        if (small) all.push(block);
        return block;
      },
      () => {
        if (fitted && count !== fitted.rows) throw changedRows(fitted.rows, count);
        if (small) kept = all;
      },
    );
  };
  return mapSource(toRowSource(encoded), {
    resident: small,
    blocks: () => kept ?? read(),
    warnings: async () => [...((await table.warnings?.()) ?? []), ...warnings],
  });
}

function changedRows(expected: number, value: number): DataError {
  return new DataError(
    'SOURCE_CHANGED',
    `The table had ${expected} rows when it was first read, and now has ${value}. It must yield the same rows every time.`,
    { value, expected },
  );
}
