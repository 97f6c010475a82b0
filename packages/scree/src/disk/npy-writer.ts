import type { AtomicFile } from './atomic-file.js';
import { STORED_TYPES, type StoredType } from './stored-type.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Room for the header: NumPy wants a multiple of 64, and the number of rows is known only at the end. */
const HEADER = 128;

export async function npyWriter(file: AtomicFile, { cols, stored }: EncoderOptions): Promise<Encoder> {
  await file.append(header(0, cols, stored));
  return {
    write: (data) => file.append(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
    end: (rows) => file.rewrite(header(rows, cols, stored), 0),
  };
}

/** A .npy header of version 1, padded with blanks and ended by a line end as NumPy does. */
function header(rows: number, cols: number, stored: StoredType): Uint8Array {
  const text = `{'descr': '${STORED_TYPES[stored].descr}', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`;
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, HEADER - 10, 0]);
  return Buffer.concat([start, Buffer.from(`${text.padEnd(HEADER - 11)}\n`)]);
}
