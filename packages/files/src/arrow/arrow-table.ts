import { DataError } from '@scree/core';
import { BlockAssembler, type DenseBatch, type Table, type Text } from '@scree/core/data';
import { plainUnpackers, type Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { blobBytes } from '../bytes/blob-bytes.js';
import { unsupported } from '../file-error.js';
import { DEFAULT_MEMORY } from '../options.js';
import { RoundedIntegers, type RoundedReading } from '../table/rounded-integers.js';
import { BatchReader, type FieldLocation, locateFields } from './column.js';
import { type ColumnLocation, describeColumns, vectorLength } from './columns.js';
import { dictionaryNumbers, dictionaryTexts } from './dictionary.js';
import { type ArrowFile, type Field, isNumber, isText, readArrow, readBatch } from './format.js';
import { type Survey, survey } from './survey.js';

/** The numbers of a dictionary, and the indexes of integers that were rounded. */
interface DictionaryValues {
  readonly values: Float64Array;
  readonly rounded: ReadonlySet<number>;
}

/** Columns that are read at once. */
const AT_A_TIME = 8;
/** Types whose numbers float32 holds. */
const FLOAT32_TYPES = /^(float16|float32|u?int8|u?int16|bool)$/;

/** An Arrow file (.arrow, Feather version 2) or stream: batches of columns, plain or packed with LZ4 or zstd. */
export async function openArrow(
  file: SeekableBytes,
  { memory }: { memory: number },
  { unpack }: { readonly unpack: Unpackers } = { unpack: plainUnpackers },
): Promise<Table> {
  const arrow = await readArrow(file, memory);
  const known = await survey(file, arrow, memory, unpack);
  const { columns, sources } = describeColumns(arrow, known, file.path, memory);
  if (columns.length === 0) throw new DataError('EMPTY_DATA', `${file.path} has no columns.`);
  const fitsFloat32 = (numbers: readonly number[]) => numbers.every((j) => FLOAT32_TYPES.test(columns[j].type));
  const everything = [...columns.keys()];
  const integers = new RoundedIntegers();
  const opened: OpenedArrow = {
    file,
    arrow,
    known,
    sources,
    memory,
    unpack,
    dictionaries: new Map(),
  };
  return {
    format: 'Arrow',
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows: known.rows,
    dtype: (numbers) => (fitsFloat32(numbers === 'all' ? everything : numbers) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: file.rereadable,
    read({ numbers: asked, texts: [text] = [] }) {
      const numbers = asked === 'all' ? everything : asked;
      const Values = fitsFloat32(numbers) ? Float32Array : Float64Array;
      return new ArrowReading(opened, numbers, text, Values, integers.reading()).blocks();
    },
    warnings: () => integers.warnings(file.path, (j) => columns[j].name),
    close: async () => {},
  };
}

/** A file whose schema is known. */
interface OpenedArrow {
  readonly file: SeekableBytes;
  readonly arrow: ArrowFile;
  readonly known: Survey;
  readonly sources: readonly ColumnLocation[];
  readonly memory: number;
  readonly unpack: Unpackers;
  /** Dictionaries of numbers by their ids. Fields may share one, and it is the same in every pass. */
  readonly dictionaries: Map<number, DictionaryValues>;
}

/** The part of a batch that is being read: `count` rows from the row `from` on. */
interface Part {
  readonly reader: BatchReader;
  readonly locations: readonly FieldLocation[];
  readonly from: number;
  readonly count: number;
  readonly length: number;
}

/** One pass over the rows: some columns as numbers, and optionally one as text. */
class ArrowReading {
  readonly #opened: OpenedArrow;
  readonly #numbers: readonly number[];
  readonly #text: number | undefined;
  readonly #rounded: RoundedReading;
  readonly #block: BlockAssembler;
  /** Rows before the block. */
  #done = 0;
  /** The texts of the label's dictionary. */
  #names: readonly Text[] | undefined;
  /** Dictionaries of numbers by the index of the field. */
  readonly #dictionaries = new Map<number, DictionaryValues>();

  constructor(
    opened: OpenedArrow,
    numbers: readonly number[],
    text: number | undefined,
    Values: Float32ArrayConstructor | Float64ArrayConstructor,
    rounded: RoundedReading,
  ) {
    this.#opened = opened;
    this.#numbers = numbers;
    this.#text = text;
    this.#rounded = rounded;
    const texts = text === undefined ? 0 : 1;
    const { memory, known } = opened;
    this.#block = new BlockAssembler({ cols: numbers.length, texts, memory, rows: known.rows, Values });
  }

  async *blocks(): AsyncGenerator<DenseBatch, void, void> {
    const { file, arrow, sources, memory, unpack } = this.#opened;
    const block = this.#block;
    const fields = slotsByField(this.#numbers, sources);
    for (const { index } of fields) {
      const field = arrow.fields[index];
      if (field.dictionary) this.#dictionaries.set(index, await this.#numbersOf(field, field.dictionary.id));
    }
    if (this.#text !== undefined) this.#names = await this.#namesOf(arrow.fields[sources[this.#text].field]);
    for (const location of arrow.batches) {
      const batch = await readBatch(file, location);
      const locations = locateFields(arrow.fields, batch, file.path);
      const reader = new BatchReader(file, batch, Math.floor(memory / 4), unpack);
      for (let from = 0; from < batch.length; ) {
        const count = Math.min(block.height - block.rows, batch.length - from);
        const part = { reader, locations, from, count, length: batch.length };
        await fewAtATime(fields, (field) => this.#fill(part, field));
        if (this.#text !== undefined)
          for (const text of await this.#readTexts(part, this.#text)) block.texts[0].push(text);
        block.rows += count;
        from += count;
        if (block.rows === block.height) yield this.#takeBlock();
      }
    }
    if (block.rows > 0) yield this.#takeBlock();
  }

  /** Returns the filled block. The next is written into the other buffer. */
  #takeBlock(): DenseBatch {
    this.#done += this.#block.rows;
    return this.#block.take();
  }

  /** Writes the numbers of a field into their columns of the block. */
  async #fill(part: Part, { index, slots }: FieldSlots): Promise<void> {
    const { type } = this.#opened.arrow.fields[index];
    const dictionary = this.#dictionaries.get(index);
    if (dictionary) await this.#fillFromDictionary(part, index, slots, dictionary);
    else if (type.kind === 'vector' || type.kind === 'list') await this.#fillFromLists(part, index, slots);
    else await this.#fillNumbers(part, index, slots);
  }

  async #fillNumbers(part: Part, index: number, slots: readonly FieldSlot[]): Promise<void> {
    const { reader, locations, from, count, length } = part;
    const values = await reader.numbers(
      locations[index],
      this.#opened.arrow.fields[index].type,
      from,
      count,
      length,
      () => {
        for (const { slot } of slots) this.#rounded.add(this.#numbers[slot]);
      },
    );
    const { data, cols, rows } = this.#block;
    for (const { slot } of slots)
      for (let i = 0, at = rows * cols + slot; i < count; i++, at += cols) data[at] = values[i];
  }

  async #fillFromDictionary(
    { reader, locations, from, count, length }: Part,
    index: number,
    slots: readonly FieldSlot[],
    { values, rounded }: DictionaryValues,
  ): Promise<void> {
    const { dictionary } = this.#opened.arrow.fields[index];
    if (!dictionary) return;
    const codes = await reader.numbers(locations[index], dictionary.index, from, count, length);
    const { data, cols, rows } = this.#block;
    for (const { slot } of slots) {
      for (let i = 0, at = rows * cols + slot; i < count; i++, at += cols) {
        data[at] = values[codes[i]] ?? Number.NaN;
        if (rounded.size > 0 && rounded.has(codes[i])) this.#rounded.add(this.#numbers[slot]);
      }
    }
  }

  async #fillFromLists(part: Part, index: number, slots: readonly FieldSlot[]): Promise<void> {
    const { reader, locations, from, count, length } = part;
    const field = this.#opened.arrow.fields[index];
    const rounded = new Set<number>();
    const first = this.#done + this.#block.rows;
    const read = await reader.vectors(locations[index], field, from, count, length, (i) => rounded.add(i));
    const { values, starts, lengths } = read;
    this.#checkLengths(lengths, index, first);
    const { data, cols, rows } = this.#block;
    for (const { slot, entry } of slots) {
      for (let i = 0, at = rows * cols + slot; i < count; i++, at += cols) {
        data[at] = lengths[i] === -1 ? Number.NaN : values[starts[i] + entry];
        if (rounded.size > 0 && lengths[i] !== -1 && rounded.has(starts[i] + entry))
          this.#rounded.add(this.#numbers[slot]);
      }
    }
  }

  /** Checks that all lists of a column are as long as the first; −1 is a missing list. */
  #checkLengths(lengths: Float64Array, index: number, first: number): void {
    const { arrow, known, file } = this.#opened;
    const expected = vectorLength(arrow.fields[index], known.lists.get(index));
    const i = lengths.findIndex((length) => length !== -1 && length !== expected);
    if (i === -1) return;
    const { name } = arrow.fields[index];
    throw new DataError(
      'RAGGED_ROWS',
      `Row ${first + i + 1} of ${file.path} has a list of ${lengths[i]} in column ${JSON.stringify(name)}, the first has ${expected}. Exclude the column, or make all lists equally long.`,
      { row: first + i, columnName: name, value: lengths[i], expected, reason: 'list-length' },
    );
  }

  async #readTexts({ reader, locations, from, count, length }: Part, column: number): Promise<(string | null)[]> {
    const { field: index, entry } = this.#opened.sources[column];
    const field = this.#opened.arrow.fields[index];
    const names = this.#names;
    if (field.dictionary && names) {
      const codes = await reader.numbers(locations[index], field.dictionary.index, from, count, length);
      return Array.from({ length: count }, (_, i) => names[codes[i]] ?? null);
    }
    if (isText(field.type)) return reader.texts(locations[index], field.type.kind === 'largeText', from, count, length);
    if (!isNumber(field.type) || entry !== undefined) throw this.#noLabel(field);
    return Array.from(await reader.numbers(locations[index], field.type, from, count, length), asText);
  }

  async #numbersOf(field: Field, id: number): Promise<DictionaryValues> {
    const { file, arrow, unpack, memory, dictionaries } = this.#opened;
    const known = dictionaries.get(id);
    if (known) return known;
    const rounded = new Set<number>();
    const values = await dictionaryNumbers(file, arrow, field, unpack, memory, (i) => rounded.add(i));
    dictionaries.set(id, { values, rounded });
    return { values, rounded };
  }

  /** The texts of a field's dictionary; undefined if it has none. */
  async #namesOf(field: Field): Promise<readonly (string | null)[] | undefined> {
    const { file, arrow, unpack } = this.#opened;
    if (!field.dictionary) return undefined;
    if (isText(field.type)) return dictionaryTexts(file, arrow, field, unpack);
    if (isNumber(field.type)) return Array.from((await this.#numbersOf(field, field.dictionary.id)).values, asText);
    throw this.#noLabel(field);
  }

  #noLabel({ name, type }: Field): Error {
    const what = `has ${type.name} in column ${JSON.stringify(name)}, which cannot be a label`;
    return unsupported(this.#opened.file.path, what, 'Choose another column.');
  }
}

function asText(value: number): string | null {
  return Number.isNaN(value) ? null : String(value);
}

/** The types of a schema's fields by name, as Arrow stores it in Parquet files, which lack some types. Empty if the schema is broken. */
export async function arrowTypes(schema: string): Promise<ReadonlyMap<string, string>> {
  try {
    const bytes = Uint8Array.from(atob(schema), (letter) => letter.charCodeAt(0));
    const { fields } = await readArrow(blobBytes(new Blob([bytes]), 'a schema'), DEFAULT_MEMORY);
    return new Map(fields.map(({ name, type }) => [name, type.name]));
  } catch {
    return new Map();
  }
}

/** A column of the block: its index, and the entry of the list if the field holds lists. */
interface FieldSlot {
  readonly slot: number;
  readonly entry: number;
}

/** A field of a file, and the columns of the block that it fills. */
interface FieldSlots {
  readonly index: number;
  readonly slots: FieldSlot[];
}

/** The columns of a block by the field that they come from: a field of lists fills several. */
function slotsByField(numbers: readonly number[], sources: readonly ColumnLocation[]): FieldSlots[] {
  const found = new Map<number, FieldSlots>();
  numbers.forEach((j, slot) => {
    const { field, entry = 0 } = sources[j];
    const known = found.get(field) ?? { index: field, slots: [] };
    known.slots.push({ slot, entry });
    found.set(field, known);
  });
  return [...found.values()];
}

/** Runs a task for every item, a few at a time. */
async function fewAtATime<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_A_TIME) await Promise.all(items.slice(at, at + AT_A_TIME).map(work));
}
