import { stat } from 'node:fs/promises';
import type { Matrix, NumberArray, RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { decodeHalf } from '@scree/core/data';
import { type Compressed, type CompressedFile, type CompressOptions, compressFile, openCompressed, pca } from 'scree';
import { seeded } from '../disk/support.js';

/** Correlated rows: a few normal factors of falling size, mixed, about an offset. */
export function correlated(rows: number, cols: number, seed: number, offset = 3): Float64Array {
  const uniform = seeded(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
  const mixing = Float64Array.from({ length: cols * cols }, (_, i) => normal() / (1 + Math.floor(i / cols)));
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const factors = Array.from({ length: cols }, normal);
    for (let j = 0; j < cols; j++) {
      data[i * cols + j] = offset + factors.reduce((sum, factor, f) => sum + factor * mixing[f * cols + j], 0);
    }
  }
  return data;
}

/** A source that yields blocks of a given number of rows, all in the same buffer. */
export function sourceOf({ rows, cols, data, dtype }: Matrix<NumberArray>, blockRows = rows): RowSource {
  return {
    rows,
    cols,
    dtype: data instanceof Float64Array ? 'float64' : 'float32',
    rereadable: true,
    resident: false,
    async *blocks(): AsyncGenerator<Block> {
      const buffer = data.slice(0, blockRows * cols);
      for (let from = 0; from < rows; from += blockRows) {
        const some = Math.min(blockRows, rows - from);
        buffer.set(data.subarray(from * cols, (from + some) * cols));
        yield { kind: 'dense', rows: some, cols, stride: cols, data: buffer, half: dtype === 'float16' };
      }
    },
  };
}

export async function decodeAll(file: Pick<CompressedFile, 'source'>): Promise<{ values: number[]; rows: number }> {
  const values: number[] = [];
  let rows = 0;
  for await (const block of file.source.blocks()) {
    if (block.kind !== 'dense') throw new Error('sparse');
    for (const value of block.half ? decodeHalf(block.data) : block.data) values.push(value);
    rows += block.rows;
  }
  return { values, rows };
}

/** There and back: what was reported, what was read, and the errors as they are. */
export async function roundTrip(
  matrix: Matrix<NumberArray>,
  path: string,
  options: Partial<CompressOptions> & { readonly k?: number | 'all'; readonly blockRows?: number } = {},
): Promise<{
  compressed: Compressed;
  values: number[];
  size: number;
  rms: number;
  relative: number;
  file: CompressedFile;
}> {
  const { k = 2, blockRows, ...rest } = options;
  const model = options.model ?? (await pca(matrix, { k }));
  const compressed = await compressFile({ source: sourceOf(matrix, blockRows), ...rest, model, path });
  const file = await openCompressed(path);
  try {
    const { values } = await decodeAll(file);
    const exact = matrix.dtype === 'float16' ? decodeHalf(matrix.data) : matrix.data;
    let [error, spread] = [0, 0];
    values.forEach((value, i) => {
      error += (value - exact[i]) ** 2;
      spread += (exact[i] - file.model.mean[i % matrix.cols]) ** 2;
    });
    const { size } = await stat(path);
    return {
      compressed,
      values,
      size,
      rms: Math.sqrt(error / values.length),
      relative: spread > 0 ? Math.sqrt(error / spread) : 0,
      file,
    };
  } finally {
    await file.close();
  }
}
