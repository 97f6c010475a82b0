import type { CsrMatrix, Matrix, NumberArray, RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { refuseChanged, rowsOfBlock } from '@scree/core/data';
import type { LabelledBlock } from '@scree/files';
import { createFile, type WriteOptions } from '../disk/index.js';
import { afterRows } from './describe-error.js';
import type { Terminal } from './terminal.js';

/** Maximum number of numbers that are computed and written at once, because output rows may be much wider than input rows. */
const PIECE_NUMBERS = 1 << 18;

/**
 * Writes the rows of a source, changed by a function block by block, to a file. `labelled` are the same rows with labels. After an error
 * the file does not exist.
 */
export async function writeRows(
  source: RowSource,
  path: string,
  options: WriteOptions,
  change: (rows: Matrix<NumberArray> | CsrMatrix) => Promise<Matrix>,
  { terminal, signal, phase }: { readonly terminal: Terminal; readonly signal: AbortSignal; readonly phase: string },
  labelled?: AsyncIterable<LabelledBlock>,
): Promise<number> {
  const writer = await createFile(path, options);
  try {
    let done = 0;
    const most = Math.max(1, Math.floor(PIECE_NUMBERS / options.cols));
    for await (const { block, labels } of labelled ?? unlabelled(source)) {
      for (let from = 0; from < block.rows; from += most) {
        signal.throwIfAborted();
        const piece = rowsOfBlock(block, from, Math.min(block.rows, from + most));
        const own = piece === block ? labels : labels?.slice(from, from + most);
        await writer.write(await afterRows(done, () => change(matrixOf(piece))), own);
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

async function* unlabelled(source: RowSource): AsyncGenerator<Partial<LabelledBlock> & { block: Block }, void, void> {
  for await (const block of source.blocks()) yield { block };
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
