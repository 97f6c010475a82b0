import { type AnalyzeOptions, analyze } from '@scree/analysis';
import type { Data, Model, Moments } from '@scree/core';

/** The model of `analyze`, in the units of the columns by default. */
export async function analyzed(data: Data | Moments, options: AnalyzeOptions = {}): Promise<Model> {
  return (await analyze(data, { scale: 'none', ...options })).model;
}
