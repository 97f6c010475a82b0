import type { FitEvent, FitRequest } from './messages.js';
import type { Table } from './table.js';

/** Starts the worker and gives back the way to ask it: each new fit aborts the one before, of which nothing is heard. */
export function startFitter(hear: (event: FitEvent) => void): (table: Table, options: FitRequest['options']) => void {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  let latest = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<FitEvent>) => {
    if (data.id === latest) hear(data);
  });
  worker.addEventListener('error', ({ message }) => {
    hear({ kind: 'failed', id: latest, message: message || 'The worker that computes could not be started.' });
  });
  return (table, options) => {
    latest++;
    const request: FitRequest = { id: latest, matrix: table.matrix, columnNames: table.columns, options };
    worker.postMessage(request);
  };
}
