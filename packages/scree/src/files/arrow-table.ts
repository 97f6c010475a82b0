import { unsupported } from './file-error.js';
import type { Table } from './table.js';
import type { Placed } from './zip.js';

export async function openArrow(file: Placed, _options: { memory: number }): Promise<Table> {
  throw unsupported(file.path, 'is an Arrow file', 'Not yet.');
}
