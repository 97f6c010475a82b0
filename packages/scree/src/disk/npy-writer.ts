import type { AtomicFile } from './atomic-file.js';
import { STORED_TYPES, type StoredType } from './stored-type.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Bytes of the header: a multiple of 64, with space for the number of rows, which is known only at the end. */
const HEADER = 128;

export async function npyWriter(file: AtomicFile, { cols, stored }: EncoderOptions): Promise<Encoder> {
  await file.append(header(0, cols, stored));
  return {
    write: (data) => file.append(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
    end: (rows) => file.rewrite(header(rows, cols, stored), 0),
  };
}

/** A .npy header of version 1, padded with spaces and ended by a newline, as NumPy writes it. */
function header(rows: number, cols: number, stored: StoredType): Uint8Array {
  const text = `{'descr': '${STORED_TYPES[stored].descr}', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`;
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, HEADER - 10, 0]);
  return Buffer.concat([start, Buffer.from(`${text.padEnd(HEADER - 11)}\n`)]);
}
