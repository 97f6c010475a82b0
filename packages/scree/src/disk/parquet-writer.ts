import type { AtomicFile } from './atomic-file.js';
import { RowGroups } from './row-groups.js';
import type { Encoder, EncoderOptions, OutputColumn } from './write-file.js';

/** Size of a row group in bytes. If rows are wide it is larger, up to 32 MB. A group is in memory twice while it is written. */
const GROUP = 4 << 20;
const WIDEST_GROUP = 32 << 20;
/** Minimum number of rows of a group, unless the group would be larger than 32 MB. */
const GROUP_ROWS = 1024;
/** Tables with more columns get no statistics (minimum and maximum), because the writer's time for them grows with the square of the number of columns. */
const MAX_COLUMNS_WITH_STATISTICS = 1000;

/** Writes Parquet with uncompressed plain pages: scores do not repeat, so compression would only take time. */
export async function parquetWriter(file: AtomicFile, { cols, columns: all, dtype }: EncoderOptions): Promise<Encoder> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const type = dtype === 'float32' ? 'FLOAT' : 'DOUBLE';
  const groupBytes = Math.min(WIDEST_GROUP, Math.max(GROUP, GROUP_ROWS * cols * 8));
  // Large enough from the start: a buffer that grows doubles, and both copies are in memory while it is copied.
  const bytes = new ByteWriter(groupBytes + (groupBytes >> 3));
  const element = ({ name, kind, nullable }: OutputColumn) =>
    kind === 'text'
      ? ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const)
      : ({ name, type, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED' } as const);
  const schema = [{ name: 'root', num_children: all.length }, ...all.map(element)];
  const writer = new ParquetWriter({
    writer: bytes,
    schema,
    codec: 'UNCOMPRESSED',
    statistics: all.length <= MAX_COLUMNS_WITH_STATISTICS,
  });
  const drain = async (): Promise<void> => {
    await file.append(bytes.getBytes());
    bytes.index = 0;
  };
  const groups = new RowGroups(
    cols,
    all.length - cols,
    dtype === 'float32',
    groupBytes,
    async (numbers, texts, rows) => {
      const start = bytes.offset;
      const chunks = [];
      let [number, text] = [0, 0];
      // The writer goes through the whole schema for every column, which takes minutes for 20,000 columns. So each column is written
      // with a schema of its own.
      for (const column of all) {
        const { name, kind, nullable } = column;
        const values = kind === 'text' ? texts[text++] : numbers[number++];
        const data = nullable && values instanceof Float64Array ? Array.from(values, nanAsNull) : values;
        writer.schema = [{ name: 'root', num_children: 1 }, element(column)];
        await writer.write({ columnData: [{ name, data: data as unknown[], encoding: 'PLAIN' }], rowGroupSize: rows });
        chunks.push(...(writer.row_groups.pop()?.columns ?? []));
        writer.num_rows -= BigInt(rows);
      }
      writer.schema = schema;
      writer.num_rows += BigInt(rows);
      writer.row_groups.push({
        columns: chunks,
        total_byte_size: BigInt(bytes.offset - start),
        num_rows: BigInt(rows),
      });
      await drain();
    },
  );
  return {
    write: (data, rows, texts) => groups.add(data, rows, texts),
    async end() {
      await groups.flush();
      await writer.finish();
      await drain();
    },
  };
}

function nanAsNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
