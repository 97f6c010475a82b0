import { readFile } from 'node:fs/promises';
import { DataError, type IntegerArray } from '@scree/core';
import { systemError } from './system-error.js';

/** An array of an IDX file, as a matrix: the first dimension are the rows, the others are laid side by side. */
export interface IdxArray {
  readonly rows: number;
  readonly cols: number;
  readonly data: IntegerArray | Float32Array | Float64Array;
  /** All dimensions as the file has them: [60000, 28, 28] for MNIST's images. */
  readonly shape: readonly number[];
}

/** Types of the IDX format, by the third byte of a file. */
const TYPES: Record<
  number,
  { bytes: number; make(length: number): IdxArray['data']; get(view: DataView, at: number): number }
> = {
  8: { bytes: 1, make: (n) => new Uint8Array(n), get: (view, at) => view.getUint8(at) },
  9: { bytes: 1, make: (n) => new Int8Array(n), get: (view, at) => view.getInt8(at) },
  11: { bytes: 2, make: (n) => new Int16Array(n), get: (view, at) => view.getInt16(at) },
  12: { bytes: 4, make: (n) => new Int32Array(n), get: (view, at) => view.getInt32(at) },
  13: { bytes: 4, make: (n) => new Float32Array(n), get: (view, at) => view.getFloat32(at) },
  14: { bytes: 8, make: (n) => new Float64Array(n), get: (view, at) => view.getFloat64(at) },
};

/**
 * Reads an IDX file, the format of MNIST: two zero bytes, the type, the number of dimensions, each dimension as a
 * big-endian uint32, then the values, big-endian. The header is believed only as far as the file is long.
 */
export async function readIdx(path: string | URL): Promise<IdxArray> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw systemError(error, String(path), 'read');
  });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const broken = (what: string): DataError => new DataError('BAD_DATA', `${path} is not a whole IDX file: ${what}.`);
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 0) throw broken('it does not begin with two zero bytes');
  const type = TYPES[bytes[2]];
  const dimensions = bytes[3];
  if (!type) throw broken(`type ${bytes[2]} does not exist`);
  if (dimensions === 0 || bytes.length < 4 + 4 * dimensions)
    throw broken(`its header of ${dimensions} dimensions is cut off`);
  const shape = Array.from({ length: dimensions }, (_, i) => view.getUint32(4 + 4 * i));
  const start = 4 + 4 * dimensions;
  const count = shape.reduce((product, size) => product * size, 1);
  if (bytes.length !== start + count * type.bytes) {
    throw broken(`${shape.join(' × ')} values need ${start + count * type.bytes} bytes, and it has ${bytes.length}`);
  }
  const data = type.make(count);
  for (let i = 0; i < count; i++) data[i] = type.get(view, start + i * type.bytes);
  return { rows: shape[0], cols: shape[0] === 0 ? 0 : count / shape[0], data, shape };
}
