import type { AtomicFile } from './atomic-file.js';
import { type FlatNode, type FlatValue, writeFlat } from './flatbuffer-writer.js';
import { RowGroups } from './row-groups.js';
import type { Encoder, EncoderOptions, OutputLabels } from './write-file.js';

/** Bytes of a record batch. */
const BATCH = 16 << 20;
/** Enum values of Arrow's schemas: metadata version 5, types and message headers. */
const V5 = 4;
const [SCHEMA, RECORDS, FLOATING_POINT, UTF8] = [1, 3, 3, 5];
const [SINGLE, DOUBLE] = [1, 2];

const int16 = (value: number): FlatValue => ({ kind: 'int16', value });
const uint8 = (value: number): FlatValue => ({ kind: 'uint8', value });
const int64 = (value: number): FlatValue => ({ kind: 'int64', value });
const to = (value: FlatNode): FlatValue => ({ kind: 'offset', value });
const table = (...fields: (FlatValue | undefined)[]): FlatNode => ({ kind: 'table', fields });

/** Writes an Arrow file (Feather version 2), uncompressed, so that other programs can map it into memory. */
export async function arrowWriter(file: AtomicFile, { cols, columns: all, dtype }: EncoderOptions): Promise<Encoder> {
  const single = dtype === 'float32';
  const numbers = table(int16(single ? SINGLE : DOUBLE));
  // Name, nullable, type, parameters of the type; no dictionary, no children.
  const fields = all.map(({ name, kind, nullable }) =>
    table(
      to({ kind: 'string', text: name }),
      kind === 'text' || nullable ? uint8(1) : undefined,
      uint8(kind === 'text' ? UTF8 : FLOATING_POINT),
      to(kind === 'text' ? table() : numbers),
      undefined,
      to({ kind: 'tables', items: [] }),
    ),
  );
  const schema = table(int16(0), to({ kind: 'tables', items: fields }));
  const batches: number[] = [];
  let offset = 0;
  const append = async (bytes: Uint8Array): Promise<void> => {
    await file.append(bytes);
    offset += bytes.length;
  };
  /** Writes a message: the continuation mark, the length of its header, the header. */
  const message = async (kind: number, header: FlatNode, body: number): Promise<number> => {
    const flat = writeFlat(table(int16(V5), uint8(kind), to(header), int64(body)));
    const start = Buffer.alloc(8);
    start.writeUInt32LE(0xffffffff, 0);
    start.writeInt32LE(flat.length, 4);
    await append(start);
    await append(flat);
    return 8 + flat.length;
  };
  await append(Buffer.from('ARROW1\0\0', 'latin1'));
  await message(SCHEMA, schema, 0);
  const groups = new RowGroups(cols, all.length - cols, single, BATCH, async (columns, texts, rows) => {
    let [number, text] = [0, 0];
    const stored = all.map(({ kind, nullable }) =>
      kind === 'text' ? textBuffers(texts[text++], rows) : numberBuffers(columns[number++], nullable === true),
    );
    let length = 0;
    const buffers = stored.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        const at = length;
        length += padded(part.length);
        return [at, part.length];
      }),
    );
    const header = table(
      int64(rows),
      to({ kind: 'int64s', values: stored.flatMap(({ nulls }) => [rows, nulls]), each: 2 }),
      to({ kind: 'int64s', values: buffers, each: 2 }),
    );
    const at = offset;
    const start = await message(RECORDS, header, length);
    batches.push(at, start, length);
    for (const part of stored.flatMap(({ parts }) => parts)) {
      await append(part);
      await append(new Uint8Array(padded(part.length) - part.length));
    }
  });
  return {
    write: (data, rows, texts) => groups.add(data, rows, texts),
    async end() {
      await groups.flush();
      await append(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0));
      const footer = writeFlat(
        table(int16(V5), to(schema), undefined, to({ kind: 'int64s', values: batches, each: 3 })),
      );
      await append(footer);
      const end = Buffer.alloc(10);
      end.writeInt32LE(footer.length, 0);
      end.write('ARROW1', 4, 'latin1');
      await append(end);
    },
  };
}

/** The buffers of a column in a record batch, and its missing values. */
interface ColumnBuffers {
  readonly parts: readonly Uint8Array[];
  readonly nulls: number;
}

function padded(length: number): number {
  return Math.ceil(length / 64) * 64;
}

/** The validity bitmap, which is empty if no value is missing. */
function validity(rows: number, isMissing: (i: number) => boolean): { bitmap: Uint8Array; nulls: number } {
  const bitmap = new Uint8Array(Math.ceil(rows / 8));
  let nulls = 0;
  for (let i = 0; i < rows; i++) {
    if (isMissing(i)) nulls++;
    else bitmap[i >> 3] |= 1 << (i & 7);
  }
  return { bitmap: nulls === 0 ? new Uint8Array(0) : bitmap, nulls };
}

function numberBuffers(column: Float32Array | Float64Array, nullable: boolean): ColumnBuffers {
  const values = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  const { bitmap, nulls } = validity(column.length, (i) => nullable && Number.isNaN(column[i]));
  return { parts: [bitmap, values], nulls };
}

/** The offsets of the texts, and the texts one after the other. */
function textBuffers(texts: OutputLabels, rows: number): ColumnBuffers {
  const { bitmap, nulls } = validity(rows, (i) => texts[i] === null);
  const offsets = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) offsets[i + 1] = offsets[i] + Buffer.byteLength(texts[i] ?? '');
  const characters = Buffer.from(texts.map((text) => text ?? '').join(''));
  return { parts: [bitmap, new Uint8Array(offsets.buffer), characters], nulls };
}
