import type { BesideFile } from './beside.js';
import { RowGroups } from './row-groups.js';
import type { Encoder, EncoderOptions } from './write-file.js';

/** Bytes of a row group. */
const GROUP = 32 << 20;

/** Parquet with plain pages: scores do not repeat themselves, and packing them would only take time. */
export async function parquetWriter(file: BesideFile, { cols, names, dtype }: EncoderOptions): Promise<Encoder> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const type = dtype === 'float32' ? 'FLOAT' : 'DOUBLE';
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: cols },
      ...names.map((name) => ({ name, type, repetition_type: 'REQUIRED' }) as const),
    ],
    codec: 'UNCOMPRESSED',
  });
  const drain = async (): Promise<void> => {
    await file.append(bytes.getBytes());
    bytes.index = 0;
  };
  const groups = new RowGroups(cols, dtype === 'float32', GROUP, async (columns, rows) => {
    const columnData = columns.map((data, j) => ({ name: names[j], data, type, encoding: 'PLAIN' }) as const);
    await writer.write({ columnData, rowGroupSize: rows });
    await drain();
  });
  return {
    write: (data, rows) => groups.add(data, rows),
    async end() {
      await groups.flush();
      await writer.finish();
      await drain();
    },
  };
}
