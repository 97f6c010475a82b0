import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CsrMatrix, Matrix } from 'scree';
import type { FloatType } from './data.js';

/** Data as raw files in a folder: how processes that measure the same workload share it. */

interface StoredShape {
  readonly rows: number;
  readonly cols: number;
  readonly type: FloatType;
  readonly sparse: boolean;
}

/** One write or read takes less than 2 GB. */
const CHUNK = 2 ** 30;

export function store(folder: string, data: Matrix | CsrMatrix): void {
  const sparse = 'indptr' in data;
  const type = data.data instanceof Float32Array ? 'float32' : 'float64';
  const shape: StoredShape = { rows: data.rows, cols: data.cols, type, sparse };
  writeFileSync(join(folder, 'shape.json'), JSON.stringify(shape));
  write(join(folder, 'data'), data.data as Float64Array);
  if (!sparse) return;
  write(join(folder, 'indptr'), Int32Array.from(data.indptr));
  write(join(folder, 'indices'), Int32Array.from(data.indices));
}

export function load(folder: string): Matrix | CsrMatrix {
  const { rows, cols, type, sparse } = JSON.parse(readFileSync(join(folder, 'shape.json'), 'utf8')) as StoredShape;
  const bytes = read(join(folder, 'data'));
  const data = type === 'float64' ? new Float64Array(bytes) : new Float32Array(bytes);
  if (!sparse) return { rows, cols, data };
  const indptr = new Int32Array(read(join(folder, 'indptr')));
  const indices = new Int32Array(read(join(folder, 'indices')));
  return { rows, cols, indptr, indices, data: data as Float64Array };
}

function write(path: string, array: NodeJS.ArrayBufferView): void {
  const file = openSync(path, 'w');
  for (let at = 0; at < array.byteLength; ) at += writeSync(file, array, at, Math.min(CHUNK, array.byteLength - at));
  closeSync(file);
}

function read(path: string): ArrayBuffer {
  const bytes = new Uint8Array(statSync(path).size);
  const file = openSync(path, 'r');
  for (let at = 0; at < bytes.length; ) at += readSync(file, bytes, at, Math.min(CHUNK, bytes.length - at), at);
  closeSync(file);
  return bytes.buffer;
}
