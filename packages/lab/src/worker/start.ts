/**
 * The worker that holds data and model. The built page loads this before all else of it: the worker is there by the time
 * the page has something to ask.
 */
export const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'scree' });
