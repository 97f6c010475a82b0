import { extname } from 'node:path';
import { DataError, type DType, type Matrix, type NumberArray, OptionError } from '@scree/core';
import { BesideFile } from './beside.js';

export const OUTPUT_FORMATS = ['npy', 'csv', 'tsv', 'parquet', 'arrow'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface WriteOptions {
  /** Columns of every block. */
  readonly cols: number;
  /** Names for formats that have them; c0, c1, … when left out. */
  readonly columnNames?: readonly string[] | undefined;
  /** How numbers are stored; float64 when left out. */
  readonly dtype?: DType | undefined;
  /** The format, where the name does not say it. */
  readonly format?: OutputFormat | undefined;
}

/** Rows on their way into a file. End with `close`, which gives the file its name, or `abort`, which leaves nothing. */
export interface RowWriter {
  readonly format: OutputFormat;
  /** Rows written so far. */
  readonly rows: number;
  /** Adds rows. They are copied: the caller may use its arrays again once this is done. */
  write(block: Matrix<NumberArray>): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** What a format does with rows that come as packed float32 or float64. */
export interface Encoder {
  write(data: Float32Array | Float64Array, rows: number): Promise<void>;
  end(rows: number): Promise<void>;
}

export interface EncoderOptions {
  readonly cols: number;
  readonly names: readonly string[];
  readonly dtype: DType;
}

const EXTENSIONS: Readonly<Record<string, OutputFormat>> = {
  '.npy': 'npy',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.parquet': 'parquet',
  '.pq': 'parquet',
  '.arrow': 'arrow',
  '.feather': 'arrow',
};

/** Numbers converted at once. */
const PART = 1 << 17;

/**
 * A file for rows that come block by block: .npy, .csv, .tsv, .parquet, .arrow or .feather, by its name. It is written
 * beside its target and renamed when it is whole.
 */
export async function createFile(path: string, options: WriteOptions): Promise<RowWriter> {
  const { cols, dtype = 'float64' } = options;
  const format = options.format ?? EXTENSIONS[extname(path).toLowerCase()];
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
  const names = options.columnNames ?? Array.from({ length: cols }, (_, j) => `c${j}`);
  if (names.length !== cols) {
    throw new OptionError('BAD_OPTION', `There are ${names.length} column names for ${cols} columns.`, {
      option: 'columnNames',
      value: names.length,
      expected: cols,
    });
  }
  const file = await BesideFile.create(path);
  try {
    const encoder = await makeEncoder(format, file, { cols, names, dtype });
    return new Writer(format, file, encoder, cols, dtype);
  } catch (error) {
    await file.abort();
    throw error;
  }
}

async function makeEncoder(format: OutputFormat, file: BesideFile, options: EncoderOptions): Promise<Encoder> {
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
  readonly #file: BesideFile;
  readonly #encoder: Encoder;
  readonly #cols: number;
  readonly #single: boolean;
  #scratch: Float32Array | Float64Array | undefined;

  constructor(format: OutputFormat, file: BesideFile, encoder: Encoder, cols: number, dtype: DType) {
    this.format = format;
    this.#file = file;
    this.#encoder = encoder;
    this.#cols = cols;
    this.#single = dtype === 'float32';
  }

  async write(block: Matrix<NumberArray>): Promise<void> {
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
      const Values = this.#single ? Float32Array : Float64Array;
      if (stride === cols && data instanceof Values)
        await this.#encoder.write(data.subarray(0, rows * cols) as Float64Array, rows);
      else await this.#convert(block, stride);
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

  async #convert({ rows, cols, data }: Matrix<NumberArray>, stride: number): Promise<void> {
    const height = Math.max(1, Math.floor(PART / cols));
    this.#scratch ??= this.#single ? new Float32Array(height * cols) : new Float64Array(height * cols);
    const scratch = this.#scratch;
    for (let from = 0; from < rows; from += height) {
      const some = Math.min(height, rows - from);
      for (let i = 0; i < some; i++) {
        for (let j = 0; j < cols; j++) scratch[i * cols + j] = data[(from + i) * stride + j];
      }
      await this.#encoder.write(scratch.subarray(0, some * cols), some);
    }
  }

  async #failed(error: unknown): Promise<unknown> {
    await this.#file.abort();
    return error;
  }
}
