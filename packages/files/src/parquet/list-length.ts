import { DataError } from '@scree/core';
import { MemoryBudget } from '@scree/core/data';
import type { SeekableBytes } from '../archive/zip.js';
import { BufferPool } from '../bytes/buffer-pool.js';
import type { PageTools } from './codecs.js';
import type { Footer } from './footer.js';
import { leveled } from './levels.js';
import { windowOf } from './number-decoder.js';
import { PageReader, pageBudget, Scratch, Share } from './pages.js';
import type { ParquetColumn } from './schema.js';

/** Lists up to this length become columns, one per entry. */
const LONGEST_LIST = 1 << 16;

/** The length of the first list of a column; 0 if it is empty, or if there is none. */
export async function listLength(
  file: SeekableBytes,
  { groups, chunks }: Footer,
  { name, list, leaf }: ParquetColumn,
  memory: number,
  tools: PageTools,
): Promise<number> {
  if (!list) return 0;
  const budget = pageBudget(new MemoryBudget(memory).share('decoder'));
  const levels = new Share(file.path, budget);
  const scratch = new Scratch(new Share(file.path, budget), new BufferPool());
  const pages = new PageReader(file, { window: windowOf(memory, 1), tools, scratch });
  for (const group of groups.keys()) {
    const place = chunks.place(file, group, leaf);
    pages.open(place);
    /** Entries of the list that was begun; −1 if none was. */
    let length = -1;
    for (let left = place.values; left > 0; ) {
      const page = await pages.next();
      const { kind, values } = page.header;
      if (kind !== 'data' && kind !== 'data v2') continue;
      if (!(values > 0 && values <= left)) throw new RangeError(`a page of ${values} values`);
      left -= values;
      levels.set(2 * values);
      const { repetition, definition } = leveled(page, 1, list.value);
      for (let i = 0; i < values; i++) {
        const level = definition ? definition[i] : list.value;
        if (!repetition || repetition[i] === 0) {
          if (length >= 0) return length;
          if (level >= list.empty) length = level === list.empty ? 0 : 1;
        } else if (length >= 0 && ++length > LONGEST_LIST) throw tooLong(file.path, name);
      }
    }
    if (length >= 0) return length;
  }
  return 0;
}

function tooLong(path: string, name: string): DataError {
  return new DataError(
    'TOO_LARGE',
    `Column ${JSON.stringify(name)} of ${path} holds lists of more than ${LONGEST_LIST} numbers, which is the most. Save them as .npy.`,
  );
}
