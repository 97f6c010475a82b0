import type { ProgressTracker } from '../base/progress.js';
import type { RowSource } from '../data/blocks/row-source.js';
import type { CompleteRows, GapSettings } from './handle-missing.js';

/** Applies the option `missing` to a source that was opened with `gaps`. The code is loaded only if values may be missing. */
export async function completeRows<Given extends GapSettings>(
  source: RowSource,
  settings: Given,
  progress: ProgressTracker,
): Promise<CompleteRows<Given>> {
  if (settings.missing === 'error') return { source, settings };
  return (await import('./handle-missing.js')).handleMissing(source, settings, progress);
}
