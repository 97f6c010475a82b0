import { extname } from 'node:path';
import { DataError, type DType, type Matrix, type NumberArray, OptionError } from '@scree/core';
import { type DenseBlock, decodeHalf } from '@scree/core/data';
import { describeValue } from '@scree/core/pipeline';
import { uniqueNames } from '@scree/files/platform';
import { AtomicFile } from './atomic-file.js';
import { isStoredType, STORED_TYPES, type StoredType, storeAs, storedTypeOf } from './stored-type.js';

export const OUTPUT_FORMATS = ['npy', 'csv', 'tsv', 'parquet', 'arrow'] as const;

/** The name of an output format. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A column of a file of numbers and texts. */
export interface OutputColumn {
  readonly name: string;
  readonly kind: 'number' | 'text';
  /** True if NaN means that a number is missing. .parquet and .arrow then store null. */
  readonly nullable?: boolean | undefined;
}

/** How a file is written. */
export interface WriteOptions {
  /** Number of columns of numbers. */
  readonly cols: number;
  /** Column names, for formats that have them. Default c0, c1, … */
  readonly columnNames?: readonly string[] | undefined;
  /**
   * All columns of the file in their order, if some are texts: numbers take the columns of a block one after the other, and texts the
   * lists that `write` takes. Instead of `columnNames`. .npy has no texts.
   */
  readonly columns?: readonly OutputColumn[] | undefined;
  /**
   * How numbers are stored. Default float64. Only .npy has all types. The other formats store float32, or float64 if float32 is not exact.
   */
  readonly dtype?: StoredType | undefined;
  /** The name of a first column of text, which `write` takes first. Not in .npy. */
  readonly label?: string | undefined;
  /**
   * Spreadsheets run cells that begin with =, +, -, @, a tab or a line break as formulas. With this option such headers and labels in
   * .csv and .tsv get an apostrophe in front. Numbers are not changed.
   */
  readonly csvSafe?: boolean | undefined;
  /** The format. Default by the name of the file. */
  readonly format?: OutputFormat | undefined;
}

/** Writes rows to a file. End with `close`, which gives the file its name, or `abort`, which removes it. */
export interface RowWriter {
  readonly format: OutputFormat;
  /** Rows written so far. */
  readonly rows: number;
  /**
   * Adds rows, with their labels if there is a column of labels, or with one list per column of text if `columns` names them. Numbers are
   * copied, so the caller may reuse its arrays afterwards.
   */
  write(block: Matrix<NumberArray> | DenseBlock, texts?: OutputLabels | readonly OutputLabels[]): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** One text per row, or null. */
export type OutputLabels = readonly (string | null)[];

/** Writes rows in one format. They come without gaps, in the stored type for .npy, and as float32 or float64 for the others. */
export interface Encoder {
  write(data: NumberArray, rows: number, texts: readonly OutputLabels[]): Promise<void>;
  end(rows: number): Promise<void>;
}

export interface EncoderOptions {
  readonly cols: number;
  /** All columns in their order, with different names. */
  readonly columns: readonly OutputColumn[];
  readonly dtype: DType;
  readonly stored: StoredType;
  readonly csvSafe: boolean;
}

const EXTENSIONS: Readonly<Record<string, OutputFormat | undefined>> = {
  '.npy': 'npy',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.parquet': 'parquet',
  '.pq': 'parquet',
  '.arrow': 'arrow',
  '.feather': 'arrow',
};

/** The format by the name of the file. */
export function formatOf(path: string): OutputFormat | undefined {
  return EXTENSIONS[extname(path).toLowerCase()];
}

/** Returns true if a format can store texts next to numbers. */
export function holdsText(format: OutputFormat): boolean {
  return format !== 'npy';
}

/** Returns true if a format is text, which spreadsheets open. */
export function isTextFile(format: OutputFormat): boolean {
  return format === 'csv' || format === 'tsv';
}

/** Numbers that are converted at once. */
const CONVERTED = 1 << 17;

/**
 * Creates a file for rows that are written block by block: .npy, .csv, .tsv, .parquet, .arrow or .feather, by its name. The file gets
 * that name when it is complete.
 */
export async function createFile(path: string, options: WriteOptions): Promise<RowWriter> {
  const { cols, dtype: stored = 'float64' } = options;
  const format = options.format ?? formatOf(path);
  if (!format || !OUTPUT_FORMATS.includes(format)) {
    throw new OptionError(
      'BAD_OPTION',
      `${path} names no format that can be written. Use ${OUTPUT_FORMATS.map((each) => `.${each}`).join(', ')}.`,
      { option: 'format', value: options.format },
    );
  }
  if (!(Number.isSafeInteger(cols) && cols > 0))
    throw new OptionError('BAD_OPTION', `cols must be a whole number from 1 up, not ${cols}.`, {
      option: 'cols',
      value: cols,
    });
  if (!isStoredType(stored)) {
    const types = Object.keys(STORED_TYPES).join(', ');
    throw new OptionError('BAD_OPTION', `dtype must be one of ${types}, not ${describeValue(stored)}.`, {
      option: 'dtype',
      value: stored,
    });
  }
  const columns = outputColumns(path, format, options);
  const file = await AtomicFile.create(path);
  try {
    const { dtype } = STORED_TYPES[stored];
    const encoder = await makeEncoder(format, file, {
      cols,
      columns,
      dtype,
      stored,
      csvSafe: options.csvSafe === true,
    });
    return new Writer(
      { format, file, encoder },
      cols,
      format === 'npy' ? stored : dtype,
      options.columns === undefined,
    );
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** The columns of a file in their order. Throws if the format cannot store them. */
function outputColumns(
  path: string,
  format: OutputFormat,
  { cols, columnNames, columns, label }: WriteOptions,
): readonly OutputColumn[] {
  const names = columnNames ?? Array.from({ length: cols }, (_, j) => `c${j}`);
  const all = columns ?? names.map((name): OutputColumn => ({ name, kind: 'number' }));
  const numbers = all.filter(({ kind }) => kind === 'number').length;
  if (numbers !== cols) {
    throw new OptionError('BAD_OPTION', `There are ${numbers} column names for ${cols} columns.`, {
      option: columns ? 'columns' : 'columnNames',
      value: numbers,
      expected: cols,
    });
  }
  const whole = label === undefined ? all : [{ name: label, kind: 'text' } as const, ...all];
  if (whole.some(({ kind }) => kind === 'text') && !holdsText(format)) {
    throw new OptionError('BAD_OPTION', `A .npy array cannot hold text next to numbers, and ${path} is one.`, {
      option: label === undefined ? 'columns' : 'label',
      value: label,
    });
  }
  if (whole.length === cols && !columns) return whole;
  const different = uniqueNames(whole.map(({ name }) => name));
  return whole.map((column, j) => ({ ...column, name: different[j] }));
}

async function makeEncoder(format: OutputFormat, file: AtomicFile, options: EncoderOptions): Promise<Encoder> {
  switch (format) {
    case 'npy':
      return (await import('./npy-writer.js')).npyWriter(file, options);
    case 'csv':
      return (await import('./csv-writer.js')).csvWriter(file, options, ',');
    case 'tsv':
      return (await import('./csv-writer.js')).csvWriter(file, options, '\t');
    case 'parquet':
      return (await import('./parquet-writer.js')).parquetWriter(file, options);
    case 'arrow':
      return (await import('./arrow-writer.js')).arrowWriter(file, options);
    default:
      return format satisfies never;
  }
}

class Writer implements RowWriter {
  readonly format: OutputFormat;
  rows = 0;
  readonly #file: AtomicFile;
  readonly #encoder: Encoder;
  readonly #cols: number;
  readonly #stored: StoredType;
  /** True if the only texts are labels. */
  readonly #labelled: boolean;
  #scratch: Float64Array | undefined;

  constructor(
    { format, file, encoder }: { format: OutputFormat; file: AtomicFile; encoder: Encoder },
    cols: number,
    stored: StoredType,
    labelled: boolean,
  ) {
    this.format = format;
    this.#file = file;
    this.#encoder = encoder;
    this.#cols = cols;
    this.#stored = stored;
    this.#labelled = labelled;
  }

  async write(
    block: Matrix<NumberArray> | DenseBlock,
    given: OutputLabels | readonly OutputLabels[] = [],
  ): Promise<void> {
    const texts = (this.#labelled ? [given] : given) as readonly OutputLabels[];
    const half = ('half' in block && block.half === true) || ('dtype' in block && block.dtype === 'float16');
    const { rows, cols, data } = block;
    const stride = block.stride ?? cols;
    if (cols !== this.#cols) {
      throw await this.#failed(
        new DataError('RAGGED_ROWS', `A block has ${cols} columns, the file has ${this.#cols}.`, {
          value: cols,
          expected: this.#cols,
        }),
      );
    }
    if (data.length < (rows - 1) * stride + cols)
      throw await this.#failed(
        new DataError('BAD_DATA', `A block of ${rows} × ${cols} has only ${data.length} numbers.`),
      );
    try {
      if (stride === cols && storedTypeOf({ data, half }) === this.#stored)
        await this.#encoder.write(data.subarray(0, rows * cols), rows, texts);
      else await this.#convert({ rows, cols, data: half ? decodeHalf(data) : data }, stride, texts);
    } catch (error) {
      throw await this.#failed(error);
    }
    this.rows += rows;
  }

  async close(): Promise<void> {
    try {
      await this.#encoder.end(this.rows);
      await this.#file.close();
    } catch (error) {
      throw await this.#failed(error);
    }
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }

  async #convert(
    { rows, cols, data }: Matrix<NumberArray>,
    stride: number,
    texts: readonly OutputLabels[],
  ): Promise<void> {
    const height = Math.max(1, Math.floor(CONVERTED / cols));
    this.#scratch ??= new Float64Array(height * cols);
    const scratch = this.#scratch;
    for (let from = 0; from < rows; from += height) {
      const some = Math.min(height, rows - from);
      for (let i = 0; i < some; i++) {
        for (let j = 0; j < cols; j++) scratch[i * cols + j] = data[(from + i) * stride + j];
      }
      const packed = storeAs(scratch.subarray(0, some * cols), this.#stored);
      const own = from === 0 && some === rows ? texts : texts.map((column) => column.slice(from, from + some));
      await this.#encoder.write(packed, some, own);
    }
  }

  async #failed(error: unknown): Promise<unknown> {
    await this.#file.abort();
    return error;
  }
}
