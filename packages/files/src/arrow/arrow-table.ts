import { DataError } from '@scree/core';
import { plainUnpackers, type Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { blobBytes } from '../bytes/blob-bytes.js';
import { unsupported } from '../file-error.js';
import { DEFAULT_MEMORY } from '../options.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { blockRows, type DenseBatch, type Request, type Table } from '../table/table.js';
import { BatchReader, locate, type Spot } from './arrow-column.js';
import { describeColumns, type Source, vectorLength } from './arrow-columns.js';
import { dictionaryNumbers, dictionaryTexts } from './arrow-dictionary.js';
import { type Field, isNumber, isText, readArrow, readBatch } from './arrow-format.js';
import { survey } from './arrow-survey.js';

/** The numbers of a dictionary, and which of them are integers that were rounded. */
interface Meaning {
  readonly values: Float64Array;
  readonly rounded: ReadonlySet<number>;
}

/** Columns that are read at once. */
const LANES = 8;
const SINGLE = /^(float16|float32|u?int8|u?int16|bool)$/;

/** An Arrow file (.arrow, Feather version 2) or stream: batches of columns, plain or packed with LZ4 or zstd. */
export async function openArrow(
  file: SeekableBytes,
  { memory }: { memory: number },
  { unpack }: { readonly unpack: Unpackers } = { unpack: plainUnpackers },
): Promise<Table> {
  const arrow = await readArrow(file, memory);
  const known = await survey(file, arrow, memory, unpack);
  const { rows } = known;
  const { columns, sources } = describeColumns(arrow, known, file.path, memory);
  if (columns.length === 0) throw new DataError('EMPTY_DATA', `${file.path} has no columns.`);
  const single = (numbers: readonly number[]) => numbers.every((j) => SINGLE.test(columns[j].type));
  const everything = [...columns.keys()];
  const dictionaries = new Map<number, Meaning>();
  const integers = new RoundedIntegers();
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
    rereadable: file.rereadable,
    read: ({ numbers, text }) => read(numbers === 'all' ? everything : numbers, text),
    warnings: () => integers.warnings(file.path, (j) => columns[j].name),
    close: async () => {},
  };

  /** What the codes of a dictionary mean. Fields may share one, and it is the same in every reading. */
  async function meaningOf(field: Field, id: number): Promise<Meaning> {
    const known = dictionaries.get(id);
    if (known) return known;
    const rounded = new Set<number>();
    const values = await dictionaryNumbers(file, arrow, field, unpack, memory, (i) => rounded.add(i));
    dictionaries.set(id, { values, rounded });
    return { values, rounded };
  }

  async function* read(numbers: readonly number[], text: Request['text']): AsyncGenerator<DenseBatch, void, void> {
    const cols = numbers.length;
    const Values = single(numbers) ? Float32Array : Float64Array;
    const height = blockRows(Math.max(1, cols) * Values.BYTES_PER_ELEMENT, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const wanted = byField(numbers, sources);
    const meanings = new Map<number, Meaning>();
    const reading = integers.reading();
    for (const [index] of wanted) {
      const field = arrow.fields[index];
      if (field.dictionary) meanings.set(index, await meaningOf(field, field.dictionary.id));
    }
    const names = text === undefined ? undefined : await readNames(arrow.fields[sources[text].field]);
    let turn = 0;
    let filled = 0;
    let [done, texts]: [number, (string | null)[]] = [0, []];
    for (const place of arrow.batches) {
      const batch = await readBatch(file, place);
      const spots = locate(arrow.fields, batch, file.path);
      const reader = new BatchReader(file, batch, Math.floor(memory / 4), unpack);
      for (let from = 0; from < batch.length; ) {
        const count = Math.min(height - filled, batch.length - from);
        await inLanes(wanted, ([index, slots]) => fill(reader, spots[index], index, slots, from, count, batch.length));
        if (text !== undefined) texts = texts.concat(await readTexts(reader, spots, text, from, count, batch.length));
        filled += count;
        from += count;
        if (filled < height) continue;
        yield {
          block: { kind: 'dense', rows: filled, cols, stride: cols, data: buffers[turn] },
          text: text === undefined ? undefined : texts,
        };
        turn = 1 - turn;
        done += filled;
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
      index: number,
      slots: readonly (readonly [number, number])[],
      from: number,
      count: number,
      length: number,
    ): Promise<void> {
      const field = arrow.fields[index];
      const [data, base, meaning] = [buffers[turn], filled * cols, meanings.get(index)];
      if (field.dictionary && meaning) {
        const codes = await reader.numbers(spot, field.dictionary.index, from, count, length);
        for (const [slot] of slots) {
          for (let i = 0, at = base + slot; i < count; i++, at += cols) {
            data[at] = meaning.values[codes[i]] ?? Number.NaN;
            if (meaning.rounded.size > 0 && meaning.rounded.has(codes[i])) reading.add(numbers[slot]);
          }
        }
        return;
      }
      if (field.type.kind !== 'vector' && field.type.kind !== 'list') {
        const values = await reader.numbers(spot, field.type, from, count, length, () => {
          for (const [slot] of slots) reading.add(numbers[slot]);
        });
        for (const [slot] of slots) for (let i = 0, at = base + slot; i < count; i++, at += cols) data[at] = values[i];
        return;
      }
      const first = done + filled;
      const rounded = new Set<number>();
      const { values, starts, lengths } = await reader.vectors(spot, field, from, count, length, (i) => rounded.add(i));
      checkLengths(lengths, index, first);
      for (const [slot, entry] of slots) {
        for (let i = 0, at = base + slot; i < count; i++, at += cols) {
          data[at] = lengths[i] === -1 ? Number.NaN : values[starts[i] + entry];
          if (rounded.size > 0 && lengths[i] !== -1 && rounded.has(starts[i] + entry)) reading.add(numbers[slot]);
        }
      }
    }

    function checkLengths(lengths: Float64Array, index: number, first: number): void {
      const list = vectorLength(arrow.fields[index], known.lists.get(index));
      const i = lengths.findIndex((length) => length !== -1 && length !== list);
      if (i === -1) return;
      const { name } = arrow.fields[index];
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${first + i + 1} of ${file.path} has a list of ${lengths[i]} in column ${JSON.stringify(name)}, the first has ${list}. Exclude the column, or make all lists equally long.`,
        { row: first + i, columnName: name, value: lengths[i], expected: list, reason: 'list-length' },
      );
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
      if (field.dictionary && names) {
        const codes = await reader.numbers(spots[index], field.dictionary.index, from, count, length);
        return Array.from({ length: count }, (_, i) => names[codes[i]] ?? null);
      }
      if (isText(field.type)) return reader.texts(spots[index], field.type.kind === 'largeText', from, count, length);
      if (!isNumber(field.type) || entry !== undefined) throw noLabel(field);
      const values = await reader.numbers(spots[index], field.type, from, count, length);
      return Array.from(values, asText);
    }
  }

  /** The texts of a field's dictionary; undefined when it has none. */
  async function readNames(field: Field): Promise<(string | null)[] | undefined> {
    if (!field.dictionary) return undefined;
    if (isText(field.type)) return dictionaryTexts(file, arrow, field, unpack);
    if (isNumber(field.type)) return Array.from((await meaningOf(field, field.dictionary.id)).values, asText);
    throw noLabel(field);
  }

  function noLabel({ name, type }: Field): Error {
    const what = `has ${type.name} in column ${JSON.stringify(name)}, which is no label`;
    return unsupported(file.path, what, 'Choose another column.');
  }
}

function asText(value: number): string | null {
  return Number.isNaN(value) ? null : String(value);
}

/** The types of a schema's fields by name, as Arrow keeps it in Parquet files: those have no word for some. Empty when it is broken. */
export async function arrowTypes(schema: string): Promise<ReadonlyMap<string, string>> {
  try {
    const bytes = Uint8Array.from(atob(schema), (letter) => letter.charCodeAt(0));
    const { fields } = await readArrow(blobBytes(new Blob([bytes]), 'a schema'), DEFAULT_MEMORY);
    return new Map(fields.map(({ name, type }) => [name, type.name]));
  } catch {
    return new Map();
  }
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

/** Does work for every item, a few at once. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += LANES) await Promise.all(items.slice(at, at + LANES).map(work));
}
