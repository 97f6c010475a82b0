/**
 * The worker that holds the data and the models. The built page loads this file first, so that the worker is ready when the
 * page needs it.
 */
export const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'scree' });
