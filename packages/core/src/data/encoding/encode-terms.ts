import { mapAsync } from '../../base/map-async.js';
import { changeTable, readCells, type Table, type TableColumn } from '../../table/table.js';
import { blockColumns } from '../blocks/block-rows.js';
import { type EncodedCovariate, termNames } from './encoding.js';
import { TermEncoder } from './regression.js';

/** The table, whose columns are covariates, as the terms of a regression: numbers, and indicators of all levels except the first. */
export function encodeTerms<Value>(table: Table<Value>, covariates: readonly EncodedCovariate[]): Table<Value> {
  const columns = termNames(covariates).map((name): TableColumn => ({ name, kind: 'number', type: 'encoded' }));
  const cols = columns.length;
  const encoder = new TermEncoder(covariates);
  return changeTable<Value>(table, {
    columns,
    width: cols,
    named: true,
    uniform: true,
    dtype: () => 'float64',
    shape: undefined,
    remote: undefined,
    read: ({ numbers }) =>
      mapAsync(readCells(table), (batch) => {
        const { rows, rowNumbers } = batch;
        const data = encoder.encode(batch, 0, rows, 0);
        const block = { kind: 'dense', rows, cols, stride: cols, data } as const;
        return { block: numbers === 'all' ? block : blockColumns(block, numbers), texts: [], rowNumbers };
      }),
  });
}
