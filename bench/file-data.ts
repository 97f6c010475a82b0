import { closeSync, openSync, writeSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { type FloatType, mixture } from './data.js';

/** Data files for the benchmark of the command. */

/** A .npy: the same thousand rows again and again, each time a little larger. */
export function writeNpy(path: string, rows: number, cols: number, type: FloatType): void {
  const block = mixture({ rows: 1000, cols, type, deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
  const bytes = type === 'float64' ? 8 : 4;
  const text = `{'descr': '<f${bytes}', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`;
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${text.padEnd(117)}\n`, 'latin1');
  header.writeUInt16LE(118, 8);
  const handle = openSync(path, 'w');
  writeSync(handle, header);
  const part = block.data.slice();
  for (let row = 0; row < rows; row += 1000) {
    const larger = 1 + row / rows;
    for (let at = 0; at < part.length; at++) part[at] = block.data[at] * larger;
    writeSync(handle, new Uint8Array(part.buffer, 0, bytes * cols * Math.min(1000, rows - row)));
  }
  closeSync(handle);
}

/** A .parquet as DuckDB writes it when nothing else is said: columns of a few random factors and noise. */
export async function writeParquet(path: string, rows: number, cols: number): Promise<void> {
  const factors = 6;
  const hidden = Array.from({ length: factors }, (_, f) => `2 * random() - 1 as f${f}`).join(', ');
  const columns = Array.from({ length: cols }, (_, j) => {
    const mixed = Array.from({ length: factors }, (_, f) => `${Math.cos((f + 1) * (j + 1)).toFixed(3)} * f${f}`);
    return `${mixed.join(' + ')} + 0.3 * random() + ${j % 5} as x${j}`;
  }).join(', ');
  const instance = await DuckDBInstance.create(':memory:', { preserve_insertion_order: 'false' });
  const connection = await instance.connect();
  const name = path.replaceAll("'", "''");
  await connection.run(
    `copy (select ${columns} from (select ${hidden} from range(${rows}))) to '${name}' (format parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}
