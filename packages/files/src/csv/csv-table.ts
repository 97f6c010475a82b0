import { BlockAssembler, type DenseBatch, type ReadRequest, type Table } from '@scree/core/data';
import { type Bytes, peek } from '../bytes/bytes.js';
import { ConvertedValues } from '../table/converted-values.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { type ReadingNotes, Scanner, WINDOW } from './csv-scanner.js';
import { type Dialect, SAMPLE, sniffDialect } from './dialect.js';

export interface CsvOptions {
  readonly memory: number;
  readonly na?: readonly string[] | undefined;
  readonly format?: string;
  /** For tests that cut records everywhere. */
  readonly window?: number;
}

/** A text table (.csv, .tsv and their kin): delimiter, header, quotes, decimal comma and missing values are detected. */
export async function openCsv(
  bytes: Bytes,
  { memory, na, format = 'CSV', window = WINDOW }: CsvOptions,
): Promise<Table> {
  const sample = await peek(bytes, SAMPLE);
  const dialect = sniffDialect(sample, sample.length < SAMPLE, bytes.path, { memory, na });
  const integers = new RoundedIntegers();
  const converted = new ConvertedValues();
  return {
    format,
    columns: dialect.columns,
    width: dialect.columns.length,
    named: true,
    uniform: false,
    rows: undefined,
    dtype: () => 'float64',
    mayMissValues: true,
    checkMissing: true,
    rereadable: bytes.rereadable,
    manyTexts: true,
    verbatim: true,
    read: (request) => {
      const notes = { rounded: integers.reading(), converted: converted.reading() };
      return readRows(bytes, dialect, request, { memory, window, ...notes });
    },
    warnings: () => {
      const nameOf = (j: number): string => dialect.columns[j].name;
      return [...converted.warnings(bytes.path, nameOf), ...integers.warnings(bytes.path, nameOf)];
    },
    close: async () => {},
  };
}

async function* readRows(
  bytes: Bytes,
  dialect: Dialect,
  request: ReadRequest,
  { memory, window, ...notes }: { memory: number; window: number } & ReadingNotes,
): AsyncGenerator<DenseBatch, void, void> {
  const { columns } = dialect;
  const numbers = request.numbers === 'all' ? [...columns.keys()] : request.numbers;
  const { texts = [], verbatim = [] } = request;
  // A row takes a byte per column at least: a small file needs no large block.
  const rows = bytes.size === undefined ? undefined : Math.floor(bytes.size / columns.length) + 1;
  const block = new BlockAssembler({ cols: numbers.length, texts: texts.length + verbatim.length, memory, rows });
  const scanner = new Scanner(bytes, dialect, { numbers, texts, verbatim }, { memory, window, ...notes });
  try {
    while ((await scanner.fill(block)) > 0) yield block.take();
  } finally {
    await scanner.close();
  }
}
