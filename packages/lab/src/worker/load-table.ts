import { DataError } from '@scree/core';
import { openOrigin } from '../data/open-origin.js';
import { type ExtraColumn, LoadedTable } from './loaded-table.js';
import type { Control, DataOrigin } from './messages.js';

/** Opens a file and reads its numbers into memory. */
export async function loadTable(origin: DataOrigin, control: Control): Promise<LoadedTable> {
  const content = await fetchContent(origin, control);
  const labels = origin.kind === 'url' ? origin.labels : undefined;
  const extra = labels && (await loadLabels(labels, control));
  const table = await openOrigin(content, origin.name);
  try {
    const loaded = await LoadedTable.read(table, origin.name, extra, control);
    throwIfCancelled(control);
    return loaded;
  } catch (error) {
    await table.close();
    throw error;
  }
}

async function fetchContent(origin: DataOrigin, { signal }: Control): Promise<Blob | Uint8Array> {
  if (origin.kind === 'blob') return origin.blob;
  if (origin.kind === 'text') return new TextEncoder().encode(origin.text);
  const response = await fetch(origin.url, signal ? { signal } : {});
  if (!response.ok) {
    throw new DataError('NO_FILE', `${origin.name} could not be fetched: the server answered ${response.status}.`);
  }
  return response.blob();
}

/** Labels of pictures, from a file of their own. */
async function loadLabels({ name, url }: { name: string; url: string }, control: Control): Promise<ExtraColumn> {
  const table = await openOrigin(await fetchContent({ kind: 'url', name, url }, control), name);
  try {
    const labels = await LoadedTable.read(table, name, undefined, control);
    const column = labels.column(0);
    if (!column) throw new DataError('NOT_A_NUMBER', `${name} holds no numbers.`);
    return { name, numbers: Float64Array.from({ length: labels.rows }, (_, i) => column.at(i)) };
  } finally {
    await table.close();
  }
}

export function throwIfCancelled({ signal }: Control): void {
  if (signal?.aborted) throw signal.reason;
}
