import { BatchReader } from './arrow-column.js';
import { type ArrowFile, type Field, readDictionary } from './arrow-format.js';
import { badFile, unsupported } from './file-error.js';
import type { Unpackers } from './unpack.js';
import type { Placed } from './zip.js';

/** Most entries of a dictionary. */
const MOST_ENTRIES = 1 << 22;
/** Where the only field of a dictionary is. */
const SPOT = { fieldNode: 0, buffer: 0 };

/** The texts of a field's dictionary. */
export function dictionaryTexts(
  file: Placed,
  arrow: ArrowFile,
  field: Field,
  unpack: Unpackers,
): Promise<(string | null)[]> {
  const large = field.type.kind === 'largeText';
  return entries(file, arrow, field, unpack, (reader, length) => reader.texts(SPOT, large, 0, length, length));
}

/** The numbers of a field's dictionary. */
export function dictionaryNumbers(file: Placed, arrow: ArrowFile, field: Field, unpack: Unpackers): Promise<number[]> {
  return entries(file, arrow, field, unpack, async (reader, length) =>
    Array.from(await reader.numbers(SPOT, field.type, 0, length, length)),
  );
}

async function entries<Value>(
  file: Placed,
  { dictionaries }: ArrowFile,
  { dictionary }: Field,
  unpack: Unpackers,
  read: (reader: BatchReader, length: number) => Promise<Value[]>,
): Promise<Value[]> {
  let all: Value[] = [];
  for (const place of dictionaries) {
    const { id, more, batch } = await readDictionary(file, place);
    if (id !== dictionary?.id) continue;
    if (all.length > 0 && !more)
      throw unsupported(file.path, 'changes a dictionary on the way', 'Write it as an Arrow file, not as a stream.');
    if (all.length + batch.length > MOST_ENTRIES)
      throw badFile(file.path, `a dictionary has more than ${MOST_ENTRIES} entries`);
    all = all.concat(await read(new BatchReader(file, batch, 64 << 20, unpack), batch.length));
  }
  return all;
}
