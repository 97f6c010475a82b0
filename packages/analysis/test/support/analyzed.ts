import { type AnalyzeOptions, analyze } from '@scree/analysis';
import type { Data, Model, Moments } from '@scree/core';

/** The model of `analyze`. */
export async function analyzed(data: Data | Moments, options: AnalyzeOptions = {}): Promise<Model> {
  return (await analyze(data, options)).model;
}
