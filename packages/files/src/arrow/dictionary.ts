import type { Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { badFile, unsupported } from '../file-error.js';
import { BatchReader } from './column.js';
import { type ArrowFile, type Field, readDictionary } from './format.js';

/** Most entries of a dictionary. */
const MOST_ENTRIES = 1 << 22;
/** The position of a dictionary's only field. */
const FIRST_FIELD = { fieldNode: 0, buffer: 0 };

/** The texts of a field's dictionary. */
export async function dictionaryTexts(
  file: SeekableBytes,
  arrow: ArrowFile,
  field: Field,
  unpack: Unpackers,
): Promise<(string | null)[]> {
  const large = field.type.kind === 'largeText';
  let all: (string | null)[] = [];
  for await (const { reader, length } of parts(file, arrow, field, unpack))
    all = all.concat(await reader.texts(FIRST_FIELD, large, 0, length, length));
  return all;
}

/** The numbers of a field's dictionary; `rounded` is told which integers were rounded. */
export async function dictionaryNumbers(
  file: SeekableBytes,
  arrow: ArrowFile,
  field: Field,
  unpack: Unpackers,
  memory: number,
  rounded: (index: number) => void,
): Promise<Float64Array> {
  let all = new Float64Array();
  for await (const { reader, length } of parts(file, arrow, field, unpack)) {
    if (8 * (all.length + length) > memory / 8)
      throw unsupported(file.path, 'has a dictionary that is too large for the memory', 'Allow more memory.', {
        reason: 'memory',
      });
    const more = new Float64Array(all.length + length);
    more.set(all);
    const before = all.length;
    more.set(await reader.numbers(FIRST_FIELD, field.type, 0, length, length, (i) => rounded(before + i)), before);
    all = more;
  }
  return all;
}

/** The batches that a dictionary consists of: later ones add entries. */
async function* parts(
  file: SeekableBytes,
  { dictionaries }: ArrowFile,
  { dictionary }: Field,
  unpack: Unpackers,
): AsyncGenerator<{ reader: BatchReader; length: number }, void, void> {
  let entries = 0;
  for (const place of dictionaries) {
    const { id, more, batch } = await readDictionary(file, place);
    if (id !== dictionary?.id) continue;
    if (entries > 0 && !more)
      throw unsupported(file.path, 'changes a dictionary on the way', 'Write it as an Arrow file, not as a stream.');
    entries += batch.length;
    if (entries > MOST_ENTRIES) throw badFile(file.path, `a dictionary has more than ${MOST_ENTRIES} entries`);
    yield { reader: new BatchReader(file, batch, 64 << 20, unpack), length: batch.length };
  }
}
