import type { Told } from './tell-file.js';

/** Opens a file in a worker, as a page should. */
function tellInWorker(content: readonly number[], name: string): Promise<Told> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Told>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Told>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || 'The worker did not start.'));
    worker.postMessage(new File([Uint8Array.from(content)], name));
  }).finally(() => worker.terminate());
}

declare global {
  var tellFileInWorker: typeof tellInWorker;
}

globalThis.tellFileInWorker = tellInWorker;
