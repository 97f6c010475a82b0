import { DataError } from '@scree/core';
import { blockHeight, blocksToBatches, type DenseBlock, type Table } from '@scree/core/data';
import type { ByteCheck } from '../archive/zip-member.js';
import { type ByteReader, type Bytes, readWhole } from '../bytes/bytes.js';
import { Pool, readAhead } from '../bytes/read-ahead.js';
import { type FileError, truncated } from '../file-error.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { type ArrayLayout, countValues } from './npy-header.js';
import { swapBytes } from './number-type.js';

export interface ArrayOptions {
  readonly format: string;
  readonly memory: number;
  /** Starts a check of all bytes of a pass. */
  readonly startCheck?: (() => ByteCheck) | undefined;
}

/**
 * One array of numbers in a file (.npy, a member of .npz, IDX) as a table: the first dimension is the rows, the others
 * become columns.
 */
export function arrayTable(layout: ArrayLayout, bytes: Bytes, { format, memory, startCheck }: ArrayOptions): Table {
  const { type, shape } = layout;
  const { path } = bytes;
  const { rows, cols } = tableShape(layout, bytes, memory);
  // If there is one column or one plain row, both orders are the same.
  const columnwise = layout.fortran && cols > 1 && (rows > 1 || shape.length > 2);
  const reader = new ArrayReader(layout, bytes, { rows, cols, memory, startCheck });
  const { readAt } = bytes;
  if (columnwise && !readAt) throw new TypeError('an array that is stored by columns needs seekable bytes');
  const integers = new RoundedIntegers();
  // Created on demand, because there may be very many.
  let columns: Table['columns'] | undefined;
  return {
    format,
    get columns() {
      columns ??= Array.from({ length: cols }, (_, j) => ({ name: String(j), kind: 'number', type: type.name }));
      return columns;
    },
    width: cols,
    named: false,
    uniform: true,
    rows,
    shape,
    dtype: () => type.dtype,
    mayMissValues: type.float,
    checkMissing: false,
    rereadable: bytes.rereadable,
    manyTexts: true,
    read(request) {
      const wanted = request.numbers === 'all' ? undefined : new Set(request.numbers);
      const reading = integers.reading();
      const rounded = (column: number): void => {
        if (wanted === undefined || wanted.has(column)) reading.add(column);
      };
      return blocksToBatches(
        columnwise && readAt ? reader.byColumns(readAt, rounded) : reader.byRows(rounded),
        request,
      );
    },
    warnings: () => integers.warnings(path, String),
    close: async () => {},
  };
}

/** The number of rows and columns of an array. Throws if it has no rows, or its rows do not fit in memory. */
function tableShape(
  { type, shape, offset }: ArrayLayout,
  bytes: Bytes,
  memory: number,
): { rows: number; cols: number } {
  const { path } = bytes;
  const available = bytes.size === undefined ? undefined : bytes.size - offset;
  const count = countValues(shape, type.bytes, available, path);
  if (count === 0 || shape.length === 0) {
    throw new DataError(
      'EMPTY_DATA',
      `${path} holds an array of shape (${shape.join(', ')}): there are no rows in it.`,
    );
  }
  const rows = shape[0];
  const cols = count / rows;
  if (cols * type.bytes > memory / 4) {
    throw new DataError(
      'TOO_LARGE',
      `A row of ${path} has ${cols} numbers: not even a few fit in ${memory} bytes. Allow more memory.`,
      { expected: memory, reason: 'memory' },
    );
  }
  return { rows, cols };
}

/** Reads an array block by block. Values are read into two buffers in turn, and passed on as they are stored. */
class ArrayReader {
  readonly #layout: ArrayLayout;
  readonly #bytes: Bytes;
  readonly #rows: number;
  readonly #cols: number;
  /** Rows of a block. */
  readonly #height: number;
  readonly #pool: Pool;
  readonly #startCheck: ArrayOptions['startCheck'];

  constructor(
    layout: ArrayLayout,
    bytes: Bytes,
    {
      rows,
      cols,
      memory,
      startCheck,
    }: Pick<ArrayOptions, 'memory' | 'startCheck'> & { readonly rows: number; readonly cols: number },
  ) {
    const rowBytes = cols * layout.type.bytes;
    this.#layout = layout;
    this.#bytes = bytes;
    this.#rows = rows;
    this.#cols = cols;
    this.#height = blockHeight(rowBytes, memory, rows, BLOCK_BYTES);
    this.#pool = new Pool(this.#height * rowBytes);
    this.#startCheck = startCheck;
  }

  /** Reads rows in the order of the file. */
  async *byRows(rounded: (column: number) => void): AsyncGenerator<DenseBlock, void, void> {
    const rows = this.#rows;
    const cols = this.#cols;
    const { type, offset } = this.#layout;
    const { path } = this.#bytes;
    const reader = this.#bytes.open();
    const buffers = [this.#pool.take(), this.#pool.take()];
    const check = this.#startCheck?.();
    let done = 0;
    try {
      if (offset > 0) {
        const header = new Uint8Array(offset);
        await readWhole(reader, header, path, 'its header');
        check?.add(header);
      }
      yield* readAhead(async (turn) => {
        if (done === rows) return undefined;
        const some = Math.min(this.#height, rows - done);
        const into = new Uint8Array(buffers[turn], 0, some * cols * type.bytes);
        const got = await reader.read(into);
        if (got < into.length) throw this.#missingRow(done + Math.floor(got / (cols * type.bytes)));
        check?.add(into);
        done += some;
        if (done === rows) {
          await this.#checkEnd(reader);
          check?.end();
        }
        this.#convert(buffers[turn], some, (index) => rounded(index % cols));
        return this.#blockOf(buffers[turn], some);
      });
    } finally {
      await reader.close();
      this.#pool.give(...buffers);
    }
  }

  /** Assembles rows from columns: of each column, the rows of a block are read at once. */
  async *byColumns(
    readAt: NonNullable<Bytes['readAt']>,
    rounded: (column: number) => void,
  ): AsyncGenerator<DenseBlock, void, void> {
    const rows = this.#rows;
    const cols = this.#cols;
    const { type, offset, shape } = this.#layout;
    const { path } = this.#bytes;
    const buffers = [this.#pool.take(), this.#pool.take()];
    const stored = this.#pool.take();
    const order = columnOrder(shape);
    let done = 0;
    try {
      yield* readAhead(async (turn) => {
        if (done === rows) return undefined;
        const some = Math.min(this.#height, rows - done);
        const first = done;
        done += some;
        const run = some * type.bytes;
        for (let from = 0; from < cols; from += LANES) {
          await Promise.all(
            Array.from({ length: Math.min(LANES, cols - from) }, async (_, lane) => {
              const into = new Uint8Array(stored, (from + lane) * run, run);
              const got = await readAt(into, offset + ((from + lane) * rows + first) * type.bytes);
              if (got < run) throw truncated(path, `column ${from + lane + 1} of ${cols} is not whole`);
            }),
          );
        }
        this.#convert(stored, some, (index) => rounded(order[Math.floor(index / some)]));
        transpose(stored, buffers[turn], type.bytes, some, cols, order);
        return this.#blockOf(buffers[turn], some);
      });
    } finally {
      this.#pool.give(...buffers, stored);
    }
  }

  #missingRow(row: number): FileError {
    const details = { row, expected: this.#rows, reason: 'missing-row' } as const;
    return truncated(this.#bytes.path, `row ${row + 1} of ${this.#rows} is not there`, details);
  }

  /** Checks the end if the size was unknown: the last value must end with the last byte. */
  async #checkEnd(reader: ByteReader): Promise<void> {
    const { size, path } = this.#bytes;
    if (size !== undefined || (await reader.read(new Uint8Array(1))) === 0) return;
    const { type, shape } = this.#layout;
    countValues(shape, type.bytes, this.#rows * this.#cols * type.bytes + 1, path);
  }

  /** Converts the values of `some` rows in place to the byte order and the types of this machine. */
  #convert(buffer: ArrayBuffer, some: number, rounded: (index: number) => void): void {
    const { bigEndian, type } = this.#layout;
    if (bigEndian) swapBytes(buffer, type.bytes, some * this.#cols);
    type.convert?.(buffer, some * this.#cols, rounded);
  }

  #blockOf(buffer: ArrayBuffer, some: number): DenseBlock {
    const { type } = this.#layout;
    const cols = this.#cols;
    const data = type.view(buffer, some * cols);
    return { kind: 'dense', rows: some, cols, stride: cols, data, half: type.half === true };
  }
}

/**
 * Bytes of a block. Blocks are larger than those of other tables: arrays are read so fast that the cost per block counts, and
 * higher blocks read longer runs of each column.
 */
const BLOCK_BYTES = 32 << 20;
/** Columns that are read at the same time. */
const LANES = 8;

/** The positions of the columns of a Fortran array if its last index is to run fastest. */
function columnOrder(shape: readonly number[]): Int32Array {
  const inner = shape.slice(1);
  const cols = inner.reduce((product, size) => product * size, 1);
  const order = new Int32Array(cols);
  const steps = inner.map((_, axis) => inner.slice(axis + 1).reduce((product, size) => product * size, 1));
  const at = new Array<number>(inner.length).fill(0);
  for (let f = 0; f < cols; f++) {
    order[f] = at.reduce((sum, index, axis) => sum + index * steps[axis], 0);
    for (let axis = 0; axis < at.length && ++at[axis] === inner[axis]; axis++) at[axis] = 0;
  }
  return order;
}

/** Transposes columns of `rows` values each into rows, in tiles of columns, so that the cache lines of the rows are reused. */
function transpose(
  from: ArrayBuffer,
  to: ArrayBuffer,
  bytes: number,
  rows: number,
  cols: number,
  order: Int32Array,
): void {
  const Values = bytes === 1 ? Uint8Array : bytes === 2 ? Uint16Array : bytes === 4 ? Uint32Array : Float64Array;
  const [source, target] = [new Values(from), new Values(to)];
  const tile = 64;
  for (let top = 0; top < rows; top += tile) {
    const bottom = Math.min(rows, top + tile);
    for (let f = 0; f < cols; f++) {
      let at = top * cols + order[f];
      for (let i = f * rows + top; i < f * rows + bottom; i++) {
        target[at] = source[i];
        at += cols;
      }
    }
  }
}
