import { OptionError } from '@scree/core';
import { type Table, withClose } from '@scree/core/data';
import { plainUnpackers, type Unpackers } from '../archive/unpack.js';
import { readZip, type SeekableBytes, type ZipMember } from '../archive/zip.js';
import { arrayBytes, checkedBytes, startMemberCheck } from '../archive/zip-member.js';
import { copyToBlob, type MakeCopy } from '../bytes/temporary-copy.js';
import { badFile, unsupported } from '../file-error.js';
import { arrayTable } from './array-table.js';
import { csrTable } from './csr-npz.js';
import { countValues, readArrayLayout } from './npy-header.js';

/** A .npz file: arrays in a zip. One of them is the data; SciPy's sparse matrices are recognised by their parts. */
export async function openNpz(
  file: SeekableBytes,
  { memory, member }: { memory: number; member?: string | undefined },
  { unpack, copy }: { readonly unpack: Unpackers; readonly copy: MakeCopy } = {
    unpack: plainUnpackers,
    copy: copyToBlob,
  },
): Promise<Table> {
  const { path } = file;
  const all = await readZip(file);
  const members = all.filter(({ name }) => name.endsWith('.npy'));
  if (members.length === 0) {
    if (all.some(({ name }) => name === '[Content_Types].xml')) {
      throw unsupported(path, 'is an Office document', 'Save the sheet as CSV.');
    }
    throw badFile(path, 'there is no array (.npy) in this zip file');
  }
  const parts = new Map(members.map((each) => [each.name.slice(0, -4), each]));
  if (member === undefined && ['data', 'shape', 'format'].every((name) => parts.has(name))) {
    const sparse = await csrTable(file, parts, memory, unpack);
    if (sparse) return sparse;
  }
  const chosen = choose(parts, path, member);
  const bytes = await arrayBytes(file, chosen, unpack);
  const reader = bytes.open();
  const layout = await readArrayLayout(reader, bytes.path);
  await reader.close();
  countValues(layout.shape, layout.type.bytes, chosen.size - layout.offset, bytes.path);
  const format = `NumPy .npz, ${chosen.name.slice(0, -4)}`;
  const startCheck = () => startMemberCheck(chosen, path, unpack);
  if (!layout.fortran) return arrayTable(layout, bytes, { format, memory, startCheck });
  // Columns are read at many positions, but a checksum needs the bytes from the first to the last.
  const whole = await copy(checkedBytes(bytes, startCheck), memory);
  return withClose(arrayTable(layout, whole.bytes, { format, memory }), whole.close);
}

function choose(parts: ReadonlyMap<string, ZipMember>, path: string, member: string | undefined): ZipMember {
  const names = [...parts.keys()].map((name) => JSON.stringify(name)).join(', ');
  if (member === undefined) {
    if (parts.size === 1) return [...parts.values()][0];
    throw new OptionError('BAD_OPTION', `${path} holds ${parts.size} arrays: ${names}. Choose one with member.`, {
      option: 'member',
    });
  }
  const chosen = parts.get(member.replace(/\.npy$/, ''));
  if (chosen) return chosen;
  throw new OptionError('BAD_OPTION', `${path} holds no array ${JSON.stringify(member)}, only ${names}.`, {
    option: 'member',
    value: member,
  });
}
