import { DataError } from '../errors.js';
import { BatchReader, locate, type Spot } from './arrow-column.js';
import { type ArrowFile, type Field, readArrow, readBatch, readDictionary } from './arrow-format.js';
import { badFile, unsupported } from './file-error.js';
import { pandasIndex } from './pandas-index.js';
import { blockRows, type Column, type DenseBatch, type Request, type Table } from './table.js';
import { plainUnpackers, type Unpackers } from './unpack.js';
import type { Placed } from './zip.js';

/** Columns that are read at once. */
const LANES = 8;
/** Most entries of a dictionary. */
const MOST_ENTRIES = 1 << 22;
const SINGLE = /^(float16|float32|u?int8|u?int16|bool)$/;

/** Where one of our columns is: which field, and which number of its vectors. */
interface Source {
  readonly field: number;
  readonly entry?: number;
}

/** An Arrow file (.arrow, Feather version 2) or stream: batches of columns, plain or packed with LZ4 or zstd. */
export async function openArrow(
  file: Placed,
  { memory }: { memory: number },
  { unpack }: { readonly unpack: Unpackers } = { unpack: plainUnpackers },
): Promise<Table> {
  const arrow = await readArrow(file);
  const { columns, sources } = describe(arrow);
  if (columns.length === 0) throw new DataError('EMPTY_DATA', `${file.path} has no columns.`);
  const single = (numbers: readonly number[]) => numbers.every((j) => SINGLE.test(columns[j].type));
  let rows = 0;
  for (const place of arrow.batches) rows += (await readBatch(file, place)).length;
  const everything = [...columns.keys()];
  return {
    format: 'Arrow',
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows,
    dtype: (numbers) => (single(numbers === 'all' ? everything : numbers) ? 'float32' : 'float64'),
    gaps: true,
    strict: true,
    rewindable: file.rewindable,
    read: ({ numbers, text }) => read(numbers === 'all' ? everything : numbers, text),
    close: async () => {},
  };

  async function* read(numbers: readonly number[], text: Request['text']): AsyncGenerator<DenseBatch, void, void> {
    const cols = numbers.length;
    const Values = single(numbers) ? Float32Array : Float64Array;
    const height = blockRows(Math.max(1, cols) * Values.BYTES_PER_ELEMENT, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const wanted = byField(numbers, sources);
    const dictionaries =
      text === undefined ? undefined : await readDictionaries(file, arrow, sources[text].field, unpack);
    let turn = 0;
    let filled = 0;
    let texts: (string | null)[] = [];
    for (const place of arrow.batches) {
      const batch = await readBatch(file, place);
      const spots = locate(arrow.fields, batch);
      const reader = new BatchReader(file, batch, Math.floor(memory / 4), unpack);
      for (let from = 0; from < batch.length; ) {
        const count = Math.min(height - filled, batch.length - from);
        await inLanes(wanted, ([index, slots]) =>
          fill(reader, spots[index], arrow.fields[index], slots, from, count, batch.length),
        );
        if (text !== undefined) texts = texts.concat(await readTexts(reader, spots, text, from, count, batch.length));
        filled += count;
        from += count;
        if (filled < height) continue;
        yield {
          block: { kind: 'dense', rows: filled, cols, stride: cols, data: buffers[turn] },
          text: text === undefined ? undefined : texts,
        };
        turn = 1 - turn;
        filled = 0;
        texts = [];
      }
    }
    if (filled > 0)
      yield {
        block: { kind: 'dense', rows: filled, cols, stride: cols, data: buffers[turn] },
        text: text === undefined ? undefined : texts,
      };

    async function fill(
      reader: BatchReader,
      spot: Spot,
      field: Field,
      slots: readonly (readonly [number, number])[],
      from: number,
      count: number,
      length: number,
    ): Promise<void> {
      const data = buffers[turn];
      const base = filled * cols;
      if (field.type.kind !== 'vector') {
        const values = await reader.numbers(spot, field.type, from, count, length);
        for (const [slot] of slots) for (let i = 0, at = base + slot; i < count; i++, at += cols) data[at] = values[i];
        return;
      }
      // Vectors lie one after the other in their only child.
      const { size } = field.type;
      const child = { fieldNode: spot.fieldNode + 1, buffer: spot.buffer + 1 };
      const values = await reader.numbers(child, field.children[0].type, from * size, count * size, length * size);
      const valid = await reader.valid(spot, from, count, length);
      for (const [slot, entry] of slots) {
        for (let i = 0, at = base + slot; i < count; i++, at += cols) {
          data[at] = valid && !valid(i) ? Number.NaN : values[i * size + entry];
        }
      }
    }

    async function readTexts(
      reader: BatchReader,
      spots: readonly Spot[],
      column: number,
      from: number,
      count: number,
      length: number,
    ): Promise<(string | null)[]> {
      const { field: index, entry } = sources[column];
      const field = arrow.fields[index];
      if (field.dictionary && dictionaries) {
        const codes = await reader.numbers(spots[index], field.dictionary.index, from, count, length);
        return Array.from({ length: count }, (_, i) =>
          Number.isNaN(codes[i]) ? null : (dictionaries[codes[i]] ?? null),
        );
      }
      if (field.type.kind === 'text' || field.type.kind === 'largeText') {
        return reader.texts(spots[index], field.type.kind === 'largeText', from, count, length);
      }
      if (field.type.kind === 'other' || entry !== undefined)
        throw unsupported(
          file.path,
          `has ${field.type.name} in column ${JSON.stringify(field.name)}, which is no label`,
          'Choose another column.',
        );
      const values = await reader.numbers(spots[index], field.type, from, count, length);
      return Array.from({ length: count }, (_, i) => (Number.isNaN(values[i]) ? null : String(values[i])));
    }
  }
}

function describe({ fields, pandas }: ArrowFile): { columns: Column[]; sources: Source[] } {
  const columns: Column[] = [];
  const sources: Source[] = [];
  const isIndex = pandasIndex(pandas);
  fields.forEach(({ name, type, dictionary, children }, field) => {
    const isText = type.kind === 'text' || type.kind === 'largeText';
    if (dictionary) columns.push({ name, kind: isText ? 'text' : 'other', type: isText ? 'text' : 'dictionary' });
    else if (type.kind === 'vector') {
      for (let entry = 0; entry < type.size; entry++) {
        columns.push({ name: `${name}[${entry}]`, kind: 'number', type: children[0].type.name });
        sources.push({ field, entry });
      }
      return;
    } else columns.push({ name, kind: isText ? 'text' : type.kind === 'other' ? 'other' : 'number', type: type.name });
    sources.push({ field });
  });
  return { columns: columns.map((column) => (isIndex(column.name) ? { ...column, index: true } : column)), sources };
}

/** Which fields are read for the numbers asked for, and where their values go: pairs of slot and entry. */
function byField(numbers: readonly number[], sources: readonly Source[]): [number, [number, number][]][] {
  const found = new Map<number, [number, number][]>();
  numbers.forEach((j, slot) => {
    const { field, entry = 0 } = sources[j];
    const slots = found.get(field) ?? [];
    slots.push([slot, entry]);
    found.set(field, slots);
  });
  return [...found];
}

/** The texts of a field's dictionary; undefined when it has none. */
async function readDictionaries(
  file: Placed,
  { fields, dictionaries }: ArrowFile,
  index: number,
  unpack: Unpackers,
): Promise<(string | null)[] | undefined> {
  const field = fields[index];
  if (!field.dictionary) return undefined;
  if (field.type.kind !== 'text' && field.type.kind !== 'largeText')
    throw unsupported(
      file.path,
      `has a dictionary that is no text in column ${JSON.stringify(field.name)}`,
      'Choose another label.',
    );
  let texts: (string | null)[] = [];
  for (const place of dictionaries) {
    const { id, more, batch } = await readDictionary(file, place);
    if (id !== field.dictionary.id) continue;
    if (texts.length > 0 && !more)
      throw unsupported(file.path, 'changes a dictionary on the way', 'Write it as an Arrow file, not as a stream.');
    if (texts.length + batch.length > MOST_ENTRIES)
      throw badFile(file.path, `a dictionary has more than ${MOST_ENTRIES} entries`);
    const reader = new BatchReader(file, batch, 64 << 20, unpack);
    texts = texts.concat(
      await reader.texts({ fieldNode: 0, buffer: 0 }, field.type.kind === 'largeText', 0, batch.length, batch.length),
    );
  }
  return texts;
}

/** Does work for every item, a few at once. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += LANES) await Promise.all(items.slice(at, at + LANES).map(work));
}
