import type { ColumnKind, ReadRequest, Table, TableBatch, TableColumn } from './table.js';

/** Some rows of values: the values of a column by its index. */
export interface ValueBatch {
  readonly rows: number;
  values(column: number): readonly unknown[];
  /** The numbers of the rows in the user's table; undefined if they follow those of the batch before. */
  readonly rowNumbers?: readonly number[] | undefined;
}

/** Facts about a table of values. */
export interface ValueTableFacts {
  readonly columns: readonly { readonly name: string; readonly kind?: ColumnKind }[];
  readonly named: boolean;
  readonly rows: number | undefined;
  readonly rereadable: boolean;
}

/** Values in memory or in a stream as a table. Its columns are read as values, which tell whether they are numbers or categories. */
export function valueTable(
  { columns, named, rows, rereadable }: ValueTableFacts,
  batches: () => Iterable<ValueBatch> | AsyncIterable<ValueBatch>,
): Table<unknown> {
  return {
    format: 'memory',
    columns: columns.map(
      ({ name, kind }): TableColumn => ({ name, kind: kind === 'text' ? kind : 'other', type: 'value' }),
    ),
    width: columns.length,
    named,
    uniform: false,
    rows,
    dtype: () => 'float64',
    mayMissValues: true,
    checkMissing: true,
    rereadable,
    manyTexts: true,
    read: ({ numbers, texts = [] }) => read(batches(), numbers, texts),
    close: async () => {},
  };
}

async function* read(
  batches: Iterable<ValueBatch> | AsyncIterable<ValueBatch>,
  numbers: ReadRequest['numbers'],
  texts: readonly number[],
): AsyncGenerator<TableBatch<unknown>, void, void> {
  if (numbers === 'all' || numbers.length > 0) throw new TypeError('Values are not read as numbers.');
  for await (const { rows, values, rowNumbers } of batches) {
    yield {
      block: { kind: 'dense', rows, cols: 0, stride: 0, data: new Float64Array(0) },
      texts: texts.map(values),
      rowNumbers,
    };
  }
}
