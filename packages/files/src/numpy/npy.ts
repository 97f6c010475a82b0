import { type Table, withClose } from '@scree/core/data';
import { type Bytes, restOf } from '../bytes/bytes.js';
import { copyToBlob, type MakeCopy } from '../bytes/temporary-copy.js';
import { arrayTable } from './array-table.js';
import { readArrayLayout } from './npy-header.js';

/** A .npy file: one array as NumPy saves it. */
export async function openNpy(
  bytes: Bytes,
  { memory, format = 'NumPy .npy' }: { memory: number; format?: string },
  { copy }: { readonly copy: MakeCopy } = { copy: copyToBlob },
): Promise<Table> {
  const reader = bytes.open();
  const layout = await readArrayLayout(reader, bytes.path);
  if (!bytes.rereadable) {
    // The header was read from the stream: the values follow.
    return arrayTable({ ...layout, offset: 0 }, restOf(bytes, reader), { format, memory });
  }
  await reader.close();
  if (!layout.fortran || bytes.readAt) return arrayTable(layout, bytes, { format, memory });
  // Columns are read at many positions: a packed file is unpacked first.
  const whole = await copy(bytes, memory);
  return withClose(arrayTable(layout, whole.bytes, { format, memory }), whole.close);
}
