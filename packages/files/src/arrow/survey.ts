import type { Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { BatchReader, locateFields } from './column.js';
import { type ArrowFile, type Field, isNumber, LONGEST_VECTOR, readBatch } from './format.js';

/** Counts from the headers of the batches, which are read before any value. */
export interface Survey {
  readonly rows: number;
  /** The number of missing values per field. */
  readonly missing: Float64Array;
  /** The length of the first list per field of lists. */
  readonly lists: ReadonlyMap<number, number>;
}

export async function survey(
  file: SeekableBytes,
  arrow: ArrowFile,
  memory: number,
  unpack: Unpackers,
): Promise<Survey> {
  const { fields, batches } = arrow;
  const missing = new Float64Array(fields.length);
  const lists = new Map<number, number>();
  const open = new Set([...fields.keys()].filter((index) => fields[index].type.kind === 'list'));
  let rows = 0;
  for (const place of batches) {
    const batch = await readBatch(file, place);
    rows += batch.length;
    const locations = locateFields(fields, batch, file.path);
    locations.forEach(({ fieldNode }, index) => {
      missing[index] += batch.nodes[2 * fieldNode + 1] ?? 0;
    });
    const reader = new BatchReader(file, batch, Math.floor(memory / 4), unpack);
    for (const index of open) {
      const { type, children } = fields[index];
      const length = holdsNumbers(children[0]) ? await reader.firstList(locations[index], type, batch.length) : 0;
      if (length === undefined) continue;
      open.delete(index);
      if (length > 0 && length <= LONGEST_VECTOR) lists.set(index, length);
    }
  }
  return { rows, missing, lists };
}

function holdsNumbers(child: Field | undefined): boolean {
  return child !== undefined && !child.dictionary && isNumber(child.type);
}
