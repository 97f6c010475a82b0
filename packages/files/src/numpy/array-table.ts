import { DataError } from '@scree/core';
import {
  blockColumns,
  blockHeight,
  type DenseBatch,
  type DenseBlock,
  mapAsync,
  numbersOf,
  type ReadRequest,
  type Table,
} from '@scree/core/data';
import type { ByteCheck } from '../archive/zip-member.js';
import { type Bytes, readWhole } from '../bytes/bytes.js';
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
 * become columns. Values are read into two buffers in turn, and passed on as they are stored.
 */
export function arrayTable(layout: ArrayLayout, bytes: Bytes, { format, memory, startCheck }: ArrayOptions): Table {
  const { type, shape, offset, fortran } = layout;
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
  // One column, or one plain row: both orders are the same.
  const columnwise = fortran && cols > 1 && (rows > 1 || shape.length > 2);
  const height = blockHeight(cols * type.bytes, memory, rows, BLOCK_BYTES);
  const pool = new Pool(height * cols * type.bytes);
  const { readAt } = bytes;
  if (columnwise && !readAt) throw new TypeError('columns can only be read where any place can be');
  const integers = new RoundedIntegers();
  // Created on demand: there may be very many.
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
      return pick(columnwise && readAt ? byColumns(readAt, rounded) : byRows(rounded), request);
    },
    warnings: () => integers.warnings(path, String),
    close: async () => {},
  };

  /** Reads rows in the order of the file. */
  async function* byRows(rounded: (column: number) => void): AsyncGenerator<DenseBlock, void, void> {
    const reader = bytes.open();
    const buffers = [pool.take(), pool.take()];
    const check = startCheck?.();
    let done = 0;
    try {
      if (offset > 0) {
        const head = new Uint8Array(offset);
        await readWhole(reader, head, path, 'its header');
        check?.add(head);
      }
      yield* readAhead(async (turn) => {
        if (done === rows) return undefined;
        const some = Math.min(height, rows - done);
        const into = new Uint8Array(buffers[turn], 0, some * cols * type.bytes);
        const got = await reader.read(into);
        if (got < into.length) throw missingRow(done + Math.floor(got / (cols * type.bytes)));
        check?.add(into);
        done += some;
        if (done === rows) {
          await checkEnd();
          check?.end();
        }
        settle(buffers[turn], some, (index) => rounded(index % cols));
        return blockOf(buffers[turn], some);
      });
    } finally {
      await reader.close();
      pool.give(...buffers);
    }

    function missingRow(row: number): FileError {
      const details = { row, expected: rows, reason: 'missing-row' } as const;
      return truncated(path, `row ${row + 1} of ${rows} is not there`, details);
    }

    /** Checks the end if the size was unknown: the last value must end with the last byte. */
    async function checkEnd(): Promise<void> {
      if (bytes.size !== undefined) return;
      if ((await reader.read(new Uint8Array(1))) > 0) countValues(shape, type.bytes, count * type.bytes + 1, path);
    }
  }

  /** Assembles rows from columns: of each column, the rows of a block are read at once. */
  async function* byColumns(
    at: NonNullable<Bytes['readAt']>,
    rounded: (column: number) => void,
  ): AsyncGenerator<DenseBlock, void, void> {
    const buffers = [pool.take(), pool.take()];
    const stored = pool.take();
    const order = columnOrder(shape);
    let done = 0;
    try {
      yield* readAhead(async (turn) => {
        if (done === rows) return undefined;
        const some = Math.min(height, rows - done);
        const first = done;
        done += some;
        const run = some * type.bytes;
        for (let from = 0; from < cols; from += LANES) {
          await Promise.all(
            Array.from({ length: Math.min(LANES, cols - from) }, async (_, lane) => {
              const into = new Uint8Array(stored, (from + lane) * run, run);
              const got = await at(into, offset + ((from + lane) * rows + first) * type.bytes);
              if (got < run) throw truncated(path, `column ${from + lane + 1} of ${cols} is not whole`);
            }),
          );
        }
        settle(stored, some, (index) => rounded(order[Math.floor(index / some)]));
        transpose(stored, buffers[turn], type.bytes, some, cols, order);
        return blockOf(buffers[turn], some);
      });
    } finally {
      pool.give(...buffers, stored);
    }
  }

  function settle(buffer: ArrayBuffer, some: number, rounded: (index: number) => void): void {
    if (layout.bigEndian) swapBytes(buffer, type.bytes, some * cols);
    type.convert?.(buffer, some * cols, rounded);
  }

  function blockOf(buffer: ArrayBuffer, some: number): DenseBlock {
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

/** Blocks of the requested columns, and the numbers of a column as texts. */
function pick(blocks: AsyncIterable<DenseBlock>, { numbers, texts = [] }: ReadRequest): AsyncIterable<DenseBatch> {
  return mapAsync(blocks, (block) => ({
    block: numbers === 'all' ? block : blockColumns(block, numbers),
    texts: texts.map((column) => textsOf(block, column)),
  }));
}

function textsOf(block: DenseBlock, column: number): string[] {
  return Array.from({ length: block.rows }, (_, i) => {
    const at = i * block.stride + column;
    return String(numbersOf(block, at, at + 1)[0]);
  });
}
