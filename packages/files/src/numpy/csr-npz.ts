import { DataError, type NumberArray } from '@scree/core';
import { blockHeight, type ReadRequest, type Table, type TableBatch, toBlock } from '@scree/core/data';
import type { Unpackers } from '../archive/unpack.js';
import type { SeekableBytes, ZipMember } from '../archive/zip.js';
import { arrayBytes, checkedBytes, startMemberCheck } from '../archive/zip-member.js';
import { type ByteReader, type Bytes, readWhole } from '../bytes/bytes.js';
import { readAhead } from '../bytes/read-ahead.js';
import { latin1Of } from '../bytes/text.js';
import { badFile, unsupported } from '../file-error.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { type ArrayLayout, countValues, readArrayLayout, readNpyHeader, textLayout } from './npy-header.js';
import { swapBytes } from './number-type.js';

/** Row ends read at once. */
const POINTERS = 1 << 16;
/** Bytes of a stored entry: a float64 and a column. */
const ENTRY_BYTES = 12;

/**
 * A sparse matrix as scipy.sparse.save_npz writes it, in compressed rows: its three arrays are read side by side. Returns undefined
 * if the arrays are something else.
 */
export async function csrTable(
  file: SeekableBytes,
  parts: ReadonlyMap<string, ZipMember>,
  memory: number,
  unpack: Unpackers,
): Promise<Table | undefined> {
  const { path } = file;
  const open = async (name: string): Promise<Bytes> => {
    const member = parts.get(name);
    if (!member) throw bad(`its ${name} is not there`);
    return checkedBytes(await arrayBytes(file, member, unpack), () => startMemberCheck(member, path, unpack));
  };
  const kind = await readText(await open('format'));
  if (kind === undefined) return undefined;
  if (kind !== 'csr') {
    throw unsupported(
      path,
      `holds a sparse matrix in format ${JSON.stringify(kind)}`,
      'Save it with scipy.sparse.save_npz(path, x.tocsr()).',
    );
  }
  if (!parts.has('indptr') || !parts.has('indices')) throw bad('its row ends or columns are not there');
  const shape = await readShape(await open('shape'));
  const [rows, cols] = shape;
  const [indptr, indices, data] = [await open('indptr'), await open('indices'), await open('data')];
  const layouts = [await vectorLayout(indptr), await vectorLayout(indices), await vectorLayout(data)];
  const [pointers, columns, values] = layouts.map(({ shape: [length] }) => length);
  const integer = (layout: ArrayLayout) => /^[iu]/.test(layout.type.name);
  if (pointers !== rows + 1 || columns !== values || !integer(layouts[0]) || !integer(layouts[1])) {
    throw bad(`${rows} rows with ${pointers} row ends, ${columns} columns and ${values} values do not belong together`);
  }
  if (rows === 0 || cols === 0)
    throw new DataError('EMPTY_DATA', `${path} holds a matrix of ${rows} × ${cols}: there are no rows in it.`);
  const most = blockHeight(ENTRY_BYTES, memory);

  async function* read({ texts = [] }: ReadRequest): AsyncGenerator<TableBatch, void, void> {
    if (texts.length > 0) throw new TypeError('sparse rows have no texts');
    const readers = [indptr, indices, data].map((bytes, i) => new Vector(bytes, layouts[i]));
    const reading = integers.reading();
    try {
      const ends = rowEnds(readers[0], rows, values, bad);
      let height = 0;
      yield* readAhead(async () => {
        const next = await ends.next(most);
        if (!next) return undefined;
        const count = next[next.length - 1];
        if (count > most && next.length === 2 && count * ENTRY_BYTES > memory / 8) {
          throw new DataError(
            'TOO_LARGE',
            `Row ${height + 1} of ${path} has ${count} entries: too many for ${memory} bytes. Allow more memory.`,
            { row: height, expected: memory, reason: 'memory' },
          );
        }
        const some = next.length - 1;
        const entryColumns = await readers[1].take(count);
        const numbers = await readers[2].take(count, (i) => reading.add(entryColumns[i]));
        height += some;
        const matrix = { rows: some, cols, indptr: next, indices: entryColumns, data: numbers as Float64Array };
        return { block: toBlock(matrix), texts: [] };
      });
    } finally {
      for (const reader of readers) await reader.close();
    }
  }

  function bad(what: string): DataError {
    return new DataError('BAD_SPARSE', `${path} holds a broken sparse matrix: ${what}.`);
  }

  const integers = new RoundedIntegers();
  let named: Table['columns'] | undefined;
  return {
    format: 'SciPy sparse .npz',
    get columns() {
      named ??= Array.from({ length: cols }, (_, j) => ({
        name: String(j),
        kind: 'number',
        type: layouts[2].type.name,
      }));
      return named;
    },
    width: cols,
    named: false,
    uniform: true,
    rows,
    nonzeros: values,
    shape,
    dtype: () => layouts[2].type.dtype,
    mayMissValues: false,
    checkMissing: false,
    rereadable: file.rereadable,
    read,
    warnings: () => integers.warnings(path, String),
    close: async () => {},
  };
}

/** Reads row ends, counted from the first row that it returns, for rows with about `entries` entries together. */
function rowEnds(
  vector: Vector,
  rows: number,
  entries: number,
  bad: (what: string) => Error,
): { next(most: number): Promise<Float64Array | undefined> } {
  let known: number[] = [];
  let last = -1;
  let left = rows + 1;
  const more = async (): Promise<void> => {
    const some = await vector.take(Math.min(POINTERS, left));
    left -= some.length;
    for (let i = 0; i < some.length; i++) {
      if (last === -1 ? some[i] !== 0 : !(some[i] >= last && some[i] <= entries))
        throw bad(`its row ends go from ${last} to ${some[i]}`);
      last = some[i];
      known.push(last);
    }
    if (left === 0 && last !== entries) throw bad(`its rows end at ${last}, and there are ${entries} entries`);
  };
  return {
    async next(most) {
      if (known.length < 2 && left > 0) await more();
      if (known.length < 2) return undefined;
      let count = 1;
      while (count + 1 < known.length && known[count + 1] - known[0] <= most) count++;
      const ends = Float64Array.from(known.slice(0, count + 1), (end) => end - known[0]);
      known = known.slice(count);
      return ends;
    },
  };
}

/** A one-dimensional array, read in pieces. */
class Vector {
  readonly #reader: ByteReader;
  readonly #layout: ArrayLayout;
  readonly #path: string;
  #begun = false;

  constructor(bytes: Bytes, layout: ArrayLayout) {
    this.#reader = bytes.open();
    this.#layout = layout;
    this.#path = bytes.path;
  }

  /** The next numbers; `rounded` is told which integers were rounded. */
  async take(count: number, rounded: (index: number) => void = () => {}): Promise<NumberArray> {
    const { type, offset, bigEndian } = this.#layout;
    if (!this.#begun) await readWhole(this.#reader, new Uint8Array(offset), this.#path, 'its header');
    this.#begun = true;
    const buffer = new ArrayBuffer(count * type.bytes);
    await readWhole(this.#reader, new Uint8Array(buffer), this.#path, 'its values');
    if (bigEndian) swapBytes(buffer, type.bytes, count);
    type.convert?.(buffer, count, rounded);
    const values = type.view(buffer, count);
    if (type.half) throw unsupported(this.#path, 'holds half-precision numbers', 'Save the matrix as float32.');
    return values;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

async function vectorLayout(bytes: Bytes): Promise<ArrayLayout> {
  const reader = bytes.open();
  try {
    const layout = await readArrayLayout(reader, bytes.path);
    if (layout.shape.length !== 1) throw badFile(bytes.path, 'it must have one dimension');
    countValues(layout.shape, layout.type.bytes, (bytes.size ?? 0) - layout.offset, bytes.path);
    return layout;
  } finally {
    await reader.close();
  }
}

async function readShape(bytes: Bytes): Promise<readonly [number, number]> {
  const layout = await vectorLayout(bytes);
  if (layout.shape[0] !== 2) throw badFile(bytes.path, 'a matrix has two dimensions');
  const vector = new Vector(bytes, layout);
  try {
    const [rows, cols] = await vector.take(2);
    if (!(Number.isSafeInteger(rows) && rows >= 0 && Number.isSafeInteger(cols) && cols >= 0))
      throw badFile(bytes.path, `${rows} × ${cols} is no shape`);
    return [rows, cols];
  } finally {
    await vector.close();
  }
}

/** A single short text, as SciPy stores the name of the format; undefined if the array is something else. */
async function readText(bytes: Bytes): Promise<string | undefined> {
  const reader = bytes.open();
  try {
    const layout = textLayout(await readNpyHeader(reader, bytes.path));
    if (!layout || layout.shape.length > 0 || layout.length > 32) return undefined;
    const characters = new Uint8Array(layout.kind === 'U' ? 4 * layout.length : layout.length);
    await readWhole(reader, characters, bytes.path, 'the name of the format');
    // Names of formats are ASCII: in UTF-32, the other bytes are zero.
    return latin1Of(characters.filter((byte) => byte !== 0));
  } finally {
    await reader.close();
  }
}
