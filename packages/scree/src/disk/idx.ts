import { fileURLToPath } from 'node:url';
import type { IntegerArray } from '@scree/core/data';
import { refuseChanged } from '@scree/core/data';
import { openFile } from './open-file.js';

/** An array of an IDX file, as a matrix: the first dimension becomes the rows, the others become the columns. */
export interface IdxArray {
  readonly rows: number;
  readonly cols: number;
  readonly data: IntegerArray | Float32Array | Float64Array;
  /** All dimensions as the file has them: [60000, 28, 28] for MNIST's images. */
  readonly shape: readonly number[];
}

/** Reads a whole IDX file, the format of MNIST, into memory. Values keep their stored type. */
export async function readIdx(path: string | URL): Promise<IdxArray> {
  const file = await openFile(typeof path === 'string' ? path : fileURLToPath(path), { format: 'idx' });
  try {
    const { source, shape = [] } = file;
    const { cols } = source;
    const [rows] = shape;
    let data: IdxArray['data'] | undefined;
    let filled = 0;
    for await (const block of source.blocks()) {
      if (block.kind !== 'dense' || block.stride !== cols) throw new TypeError('an IDX file holds a dense array');
      const values = block.data.subarray(0, block.rows * cols);
      data ??= new (values.constructor as new (length: number) => IdxArray['data'])(rows * cols);
      data.set(values, filled);
      filled += values.length;
    }
    await refuseChanged(source);
    if (!data) throw new TypeError('an IDX file has rows');
    return { rows, cols, data, shape };
  } catch (error) {
    throw await file.explain(error);
  } finally {
    await file.close();
  }
}
