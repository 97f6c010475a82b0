import { DataError, describeValue } from '../errors.js';
import { changeTable, type ReadRequest, type Table, type TableColumn } from './table.js';

/** The table with these columns only, by their indexes, in this order. */
export function selectColumns<Value>(table: Table<Value>, indexes: readonly number[]): Table<Value> {
  const { uniform, width } = table;
  const all = uniform && indexes.length === width && indexes.every((column, j) => column === j);
  const original = (numbers: ReadRequest['numbers']): ReadRequest['numbers'] => {
    if (numbers === 'all') return all ? 'all' : indexes;
    return numbers.map((j) => indexes[j]);
  };
  const { remote } = table;
  return changeTable<Value>(table, {
    get columns() {
      return indexes.map((j) => table.columns[j]);
    },
    width: indexes.length,
    dtype: (numbers) => table.dtype(original(numbers)),
    read: ({ numbers, texts, verbatim }) =>
      table.read({
        numbers: original(numbers),
        texts: texts?.map((j) => indexes[j]),
        ...(verbatim ? { verbatim: verbatim.map((j) => indexes[j]) } : {}),
      }),
    remote: remote && ((request) => remote({ ...request, numbers: request.numbers.map((j) => indexes[j]) })),
  });
}

/** The table with these columns only, by their names; columns without names get these names in their order. */
export function selectNamed<Value>(table: Table<Value>, names: readonly string[] | undefined): Table<Value> {
  if (!names) return table;
  if (!table.named) {
    if (names.length === table.width) {
      const columns = table.columns.map((column, j): TableColumn => ({ ...column, name: names[j] }));
      return changeTable(table, { columns, named: true });
    }
    throw new DataError(
      'WIDTH_MISMATCH',
      `The table has ${table.width} columns without names, and ${names.length} are needed. Pass the same columns in the same order.`,
      { value: table.width, expected: names.length },
    );
  }
  const indexOf = (name: string): number => {
    const at = table.columns.findIndex((column) => column.name === name);
    if (at >= 0) return at;
    throw new DataError('MISSING_COLUMN', `The table has no column ${describeValue(name)}.`, { columnName: name });
  };
  return selectColumns(table, names.map(indexOf));
}

/** The table with some columns read as text, whatever they hold. */
export function columnsAsText<Value>(table: Table<Value>, indexes: readonly number[]): Table<Value> {
  const asText = new Set(indexes);
  const columns = table.columns.map((column, j): TableColumn => (asText.has(j) ? { ...column, kind: 'text' } : column));
  return changeTable(table, { columns, uniform: table.uniform && asText.size === 0 });
}
