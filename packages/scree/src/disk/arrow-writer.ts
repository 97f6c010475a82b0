import type { AtomicFile } from './atomic-file.js';
import { type FlatNode, type FlatValue, writeFlat } from './flatbuffer-writer.js';
import { RowGroups } from './row-groups.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Bytes of a record batch. */
const BATCH = 16 << 20;
/** Enum values of Arrow's schemas: metadata version 5, types and message headers. */
const V5 = 4;
const [SCHEMA, RECORDS, FLOATING_POINT] = [1, 3, 3];
const [SINGLE, DOUBLE] = [1, 2];

const int16 = (value: number): FlatValue => ({ kind: 'int16', value });
const uint8 = (value: number): FlatValue => ({ kind: 'uint8', value });
const int64 = (value: number): FlatValue => ({ kind: 'int64', value });
const to = (value: FlatNode): FlatValue => ({ kind: 'offset', value });
const table = (...fields: (FlatValue | undefined)[]): FlatNode => ({ kind: 'table', fields });

/** Writes an Arrow file (Feather version 2), uncompressed, so that other programs can map it into memory. */
export async function arrowWriter(file: AtomicFile, { cols, names, dtype }: EncoderOptions): Promise<Encoder> {
  const single = dtype === 'float32';
  const type = table(int16(single ? SINGLE : DOUBLE));
  // Name, nullable, type, parameters of the type; no dictionary, no children.
  const fields = names.map((text) =>
    table(
      to({ kind: 'string', text }),
      undefined,
      uint8(FLOATING_POINT),
      to(type),
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
  const groups = new RowGroups(cols, single, BATCH, async (columns, rows) => {
    const bytes = rows * (single ? 4 : 8);
    const padded = Math.ceil(bytes / 64) * 64;
    const nodes = columns.flatMap(() => [rows, 0]);
    // No value is missing, so the first buffer of each column, the validity bitmap, is empty.
    const buffers = columns.flatMap((_, j) => [j * padded, 0, j * padded, bytes]);
    const header = table(
      int64(rows),
      to({ kind: 'int64s', values: nodes, each: 2 }),
      to({ kind: 'int64s', values: buffers, each: 2 }),
    );
    const at = offset;
    const length = await message(RECORDS, header, padded * cols);
    batches.push(at, length, padded * cols);
    const padding = new Uint8Array(padded - bytes);
    for (const column of columns) {
      await append(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
      await append(padding);
    }
  });
  return {
    write: (data, rows) => groups.add(data, rows),
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
