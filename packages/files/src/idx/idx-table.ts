import type { Table } from '@scree/core/data';
import { type Bytes, readWhole, restOf } from '../bytes/bytes.js';
import { badFile } from '../file-error.js';
import { arrayTable } from '../numpy/array-table.js';
import { numberType } from '../numpy/number-type.js';

/** Types of the IDX format, by the third byte of a file. */
const TYPES: Readonly<Record<number, string>> = { 8: 'u1', 9: 'i1', 11: 'i2', 12: 'i4', 13: 'f4', 14: 'f8' };

/** An IDX file, the format of MNIST, read as a stream: the first dimension is the rows. */
export async function openIdx(
  bytes: Bytes,
  { memory, format = 'IDX' }: { memory: number; format?: string },
): Promise<Table> {
  const reader = bytes.open();
  const { path } = bytes;
  const start = new Uint8Array(4);
  await readWhole(reader, start, path, 'the first bytes of an IDX file');
  if (start[0] !== 0 || start[1] !== 0) throw badFile(path, 'it does not begin with two zero bytes as IDX files do');
  const type = numberType(TYPES[start[2]] ?? '');
  if (!type) throw badFile(path, `IDX has no type ${start[2]}`);
  const sizes = new Uint8Array(4 * start[3]);
  await readWhole(reader, sizes, path, `its header of ${start[3]} dimensions`);
  const view = new DataView(sizes.buffer);
  const shape = Array.from({ length: start[3] }, (_, i) => view.getUint32(4 * i));
  const layout = { type, bigEndian: true, fortran: false, shape, offset: 4 + sizes.length };
  if (!bytes.rereadable) {
    return arrayTable({ ...layout, offset: 0 }, restOf(bytes, reader), { format, memory });
  }
  await reader.close();
  return arrayTable(layout, bytes, { format, memory });
}
