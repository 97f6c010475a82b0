import { DataError, ScreeError } from '@scree/core';
import { blockHeight, type DenseBatch, type ReadRequest, type Table, TEXT_BYTES } from '@scree/core/data';
import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet';
import type { SeekableBytes } from '../archive/zip.js';
import { badFile, truncated, unsupported } from '../file-error.js';
import type { TableReader } from '../platform/platform.js';
import { arrowDurations } from '../reader-notes.js';
import { checkColumns } from '../table/most-columns.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { ParquetChunk } from './chunk.js';
import { columnsOf, FLOAT32_TYPES, noteOf } from './schema.js';

/** Longest footer that is read. */
const LONGEST_FOOTER = 64 << 20;
/** Columns that are read at once. */
const AT_A_TIME = 8;
/** Bytes of a column in view at once. */
const [LEAST_WINDOW, MOST_WINDOW] = [1 << 15, 1 << 20];

/**
 * Parquet in browsers. Only the columns that are asked for are read, page by page, so that memory is bounded by pages and not by
 * row groups. Columns have the same types as where scree reads them with DuckDB, but nested ones are left out. hyparquet
 * parses the footer without checking it, so every count and offset in it is checked here.
 */
export const openParquet: TableReader = (file, { memory }) => errorsAsBadFile(file.path, () => open(file, memory));

async function open(file: SeekableBytes, memory: number): Promise<Table> {
  const metadata = await readFooter(file);
  const columns = columnsOf(metadata, await arrowDurations(noteOf(metadata, 'ARROW:schema')));
  checkColumns(columns.length, memory, file.path);
  if (columns.length === 0) throw new DataError('EMPTY_DATA', `${file.path} has no columns.`);
  const groups = metadata.row_groups.map((group) => ({ group, rows: countOf(group.num_rows) }));
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (!Number.isSafeInteger(rows) || rows !== countOf(metadata.num_rows))
    throw badFile(file.path, `it says that it has ${metadata.num_rows} rows, its groups have ${rows}`);
  const fitsFloat32 = (numbers: readonly number[]) => numbers.every((j) => FLOAT32_TYPES.test(columns[j].type));
  const everything = [...columns.keys()];
  const integers = new RoundedIntegers();
  return {
    format: 'Parquet',
    columns: columns.map(({ name, kind, type, index }) => ({ name, kind, type, index })),
    width: columns.length,
    named: true,
    uniform: false,
    rows,
    dtype: (numbers) => (fitsFloat32(numbers === 'all' ? everything : numbers) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: file.rereadable,
    read,
    warnings: () => integers.warnings(file.path, (j) => columns[j].name),
    close: async () => {},
  };

  async function* read({ numbers: asked, texts: [text] = [] }: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const numbers = asked === 'all' ? everything : asked;
    const cols = numbers.length;
    const Values = fitsFloat32(numbers) ? Float32Array : Float64Array;
    const textBytes = text === undefined ? 0 : TEXT_BYTES;
    const height = blockHeight(Math.max(1, cols) * Values.BYTES_PER_ELEMENT + textBytes, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const rounded = integers.reading();
    let [turn, filled] = [0, 0];
    let texts: (string | null)[] = [];
    const batch = (): DenseBatch => ({
      block: { kind: 'dense', rows: filled, cols, stride: cols, data: buffers[turn] },
      texts: text === undefined ? [] : [texts],
    });
    for (const { group, rows: inGroup } of groups) {
      if (inGroup === 0) continue;
      const [chunks, label] = await errorsAsBadFile(file.path, () => openChunks(group, inGroup, numbers, text));
      for (let from = 0; from < inGroup; ) {
        const count = Math.min(height - filled, inGroup - from);
        await errorsAsBadFile(file.path, async () => {
          const [data, base] = [buffers[turn], filled * cols];
          await fewAtATime(chunks, async (chunk, j) => {
            const some = await chunk.numbers(data, base + j, cols, count);
            if (some > 0) rounded.add(numbers[j], some);
          });
          if (label) for (const each of await label.texts(count)) texts.push(each);
        });
        filled += count;
        from += count;
        if (filled < height) continue;
        yield batch();
        turn = 1 - turn;
        filled = 0;
        texts = [];
      }
    }
    if (filled > 0) yield batch();
  }

  async function openChunks(
    group: RowGroup,
    rows: number,
    numbers: readonly number[],
    text: number | undefined,
  ): Promise<[ParquetChunk[], ParquetChunk | undefined]> {
    const share = Math.floor(memory / 8 / (numbers.length + 1));
    const budget = { kept: 0, most: Math.floor(memory / 2) };
    const window = Math.max(LEAST_WINDOW, Math.min(MOST_WINDOW, share));
    const chunkOf = (j: number): Promise<ParquetChunk> => {
      const { leaf, element, kind, type, name } = columns[j];
      if (leaf < 0 || (kind === 'other' && type !== 'empty'))
        throw unsupported(file.path, `has ${type} in column ${JSON.stringify(name)}`, 'Choose another column.');
      return ParquetChunk.open(file, group.columns[leaf], { rows, element, window, budget });
    };
    const chunks: ParquetChunk[] = [];
    for (const j of numbers) chunks.push(await chunkOf(j));
    return [chunks, text === undefined ? undefined : await chunkOf(text)];
  }
}

/** The end of the file describes it. */
async function readFooter(file: SeekableBytes): Promise<FileMetaData> {
  const { path, size } = file;
  const tail = await bytesAt(file, Math.max(0, size - 8), Math.min(8, size));
  const mark = String.fromCharCode(...tail.subarray(4));
  if (mark === 'PARE') throw unsupported(path, 'is an encrypted Parquet file', 'Write it again without encryption.');
  if (size < 12 || mark !== 'PAR1') throw truncated(path, 'it has no footer, as Parquet files do');
  const length = new DataView(tail.buffer).getUint32(0, true);
  if (length > size - 12 || length > LONGEST_FOOTER) throw badFile(path, `its footer claims ${length} bytes`);
  const footer = await bytesAt(file, size - 8 - length, length + 8);
  const metadata = parquetMetadata(footer, { geoparquet: false });
  if (!Array.isArray(metadata.schema) || !Array.isArray(metadata.row_groups))
    throw badFile(path, 'its footer is broken');
  return metadata;
}

async function bytesAt(file: SeekableBytes, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  if ((await file.readAt(bytes, from)) < length) throw truncated(file.path, 'it became shorter while it was read');
  return bytes;
}

function countOf(value: unknown): number {
  const count = typeof value === 'bigint' ? Number(value) : -1;
  if (!(Number.isSafeInteger(count) && count >= 0)) throw new RangeError('a count that is none');
  return count;
}

/** Does work for every item, a few at once. */
async function fewAtATime<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_A_TIME) {
    await Promise.all(items.slice(at, at + AT_A_TIME).map((item, i) => work(item, at + i)));
  }
}

/** Turns errors of libraries, and our RangeErrors, into a FileError. */
async function errorsAsBadFile<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ScreeError || !(error instanceof Error)) throw error;
    throw badFile(path, `it is broken (${error.message.split('\n')[0].slice(0, 120)})`);
  }
}
