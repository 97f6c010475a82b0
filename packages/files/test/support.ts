import type { Block } from '../../core/src/data/blocks/block.js';
import type { DataFile } from '../src/table/data-file.js';

/** All rows of a file as plain arrays. */
export async function rowsOf(file: DataFile): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of file.source.blocks()) rows.push(...blockRows(block));
  return rows;
}

export function blockRows(block: Block): number[][] {
  return Array.from({ length: block.rows }, (_, i) => {
    if (block.kind === 'dense') {
      const row = block.data.subarray(i * block.stride, i * block.stride + block.cols);
      return Array.from(row, (value) => (block.half ? halfOf(value) : value));
    }
    const row = new Array<number>(block.cols).fill(0);
    for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) row[block.indices[at]] = block.data[at];
    return row;
  });
}

function halfOf(bits: number): number {
  const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

/** A .npy file of version 1 with any header text, for files that lie. */
export function npyBytes(header: string, data: Uint8Array, version = 1, length = header.length): Buffer {
  const size = version === 1 ? 2 : 4;
  const start = Buffer.alloc(8 + size);
  start.write('\x93NUMPY', 0, 'latin1');
  start[6] = version;
  if (size === 2) start.writeUInt16LE(length & 0xffff, 8);
  else start.writeUInt32LE(length, 8);
  return Buffer.concat([start, Buffer.from(header, version === 3 ? 'utf8' : 'latin1'), data]);
}

export function npyHeader(descr: string, shape: readonly number[], fortran = false): string {
  const list = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  return `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${list}), }\n`;
}
