import type { CsrMatrix, Matrix, NumberArray, RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { refuseChanged, rowsOfBlock } from '@scree/core/data';
import { createFile, type WriteOptions } from '../disk/index.js';
import type { OutputLabels } from '../disk/write-file.js';
import { afterRows } from './describe-error.js';
import type { Terminal } from './terminal.js';

/** Maximum number of numbers that are computed and written at once, because output rows may be much wider than input rows. */
const PIECE_NUMBERS = 1 << 18;

/** Rows, and what is written beside what is computed from them. */
export interface RowsBeside {
  readonly block: Block;
  /** Columns of numbers that are written before the computed ones, packed. */
  readonly numbers?: Float64Array | undefined;
  /** One list per column of text. */
  readonly texts?: readonly OutputLabels[] | undefined;
}

/** How the user learns of the progress. */
export interface WritingControl {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly phase: string;
}

/**
 * Writes the rows of a source, changed by a function block by block, to a file. `parts` are the same rows with what is written beside
 * them. After an error the file does not exist.
 */
export async function writeRows(
  source: RowSource,
  path: string,
  options: WriteOptions,
  change: (rows: Matrix<NumberArray> | CsrMatrix) => Promise<Matrix>,
  { terminal, signal, phase }: WritingControl,
  parts?: AsyncIterable<RowsBeside>,
): Promise<number> {
  const writer = await createFile(path, options);
  try {
    let done = 0;
    const most = Math.max(1, Math.floor(PIECE_NUMBERS / options.cols));
    for await (const { block, numbers, texts } of parts ?? alone(source)) {
      const width = (numbers?.length ?? 0) / block.rows;
      for (let from = 0; from < block.rows; from += most) {
        signal.throwIfAborted();
        const to = Math.min(block.rows, from + most);
        const piece = rowsOfBlock(block, from, to);
        const own = piece === block ? texts : texts?.map((column) => column.slice(from, to));
        const computed = await afterRows(done, () => change(matrixOf(piece)));
        await writer.write(numbers ? joined(numbers.subarray(from * width, to * width), computed) : computed, own);
        done += piece.rows;
        const total = source.rows ?? source.expectedRows?.();
        terminal.onProgress({ phase, done, ...(total === undefined ? {} : { total }) });
      }
    }
    await refuseChanged(source);
    await writer.close();
    return done;
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    terminal.clear();
  }
}

async function* alone(source: RowSource): AsyncGenerator<RowsBeside, void, void> {
  for await (const block of source.blocks()) yield { block };
}

/** Packed columns of numbers, followed by the columns of a matrix. */
function joined(numbers: Float64Array, { rows, cols, data }: Matrix): Matrix<Float64Array> {
  const width = numbers.length / rows;
  const both = new Float64Array(rows * (width + cols));
  for (let i = 0; i < rows; i++) {
    both.set(numbers.subarray(i * width, (i + 1) * width), i * (width + cols));
    both.set(data.subarray(i * cols, (i + 1) * cols), i * (width + cols) + width);
  }
  return { rows, cols: width + cols, data: both };
}

/** A block as input of a model. */
export function matrixOf(block: Block): Matrix<NumberArray> | CsrMatrix {
  if (block.kind === 'sparse') {
    const { rows, cols, indptr, indices, data } = block;
    return { rows, cols, indptr, indices, data };
  }
  const { rows, cols, stride, half } = block;
  // Readers reuse buffers, which may be longer than the rows in them.
  const data = block.data.subarray(0, Math.max(0, rows - 1) * stride + cols);
  return { rows, cols, stride, data, ...(half ? { dtype: 'float16' as const } : {}) };
}
