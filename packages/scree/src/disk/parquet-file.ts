import { type Bytes, openParquet, type Table, withClose } from '@scree/files/platform';
import { wideTable } from '../database/wide-table.js';
import { DecodingThreads } from './decoding-threads.js';
import { nodePageTools } from './page-tools.js';

export interface ParquetOptions {
  readonly memory: number;
  /** Threads that are used for several files, one after the other. The caller closes them. */
  readonly threads?: DecodingThreads | undefined;
}

/** Opens a Parquet file. Threads decode the numbers of a large one, and a table that is too wide for the memory is read in parts. */
export async function openParquetFile(file: Bytes, { memory, threads }: ParquetOptions): Promise<Table> {
  const own = threads ?? new DecodingThreads();
  const table = await openParquet(
    file,
    { memory },
    { tools: nodePageTools, decodeInThreads: own.available ? (task) => own.decode(file, task, memory) : undefined },
  );
  return wideTable(threads ? table : withClose(table, () => own.close()), { path: file.path, memory });
}
