import { type Matrix, type Model, type Progress, pca } from '@scree/core';
import type { Fit, FitEvent, FitRequest } from './messages.js';

let running: AbortController | undefined;

addEventListener('message', async ({ data: request }: MessageEvent<FitRequest>) => {
  running?.abort();
  const current = new AbortController();
  running = current;
  const { id, matrix, columnNames } = request;
  const control = {
    signal: current.signal,
    onProgress: (progress: Progress) => tell({ kind: 'progress', id, progress }),
  };
  try {
    const started = performance.now();
    const model = await pca(matrix, { ...request.options, columnNames, ...control });
    const milliseconds = performance.now() - started;
    const scores = await model.transform(matrix, control);
    tell({ kind: 'done', id, fit: { ...toFit(model, scores), milliseconds } });
  } catch (error) {
    if (current.signal.aborted) return;
    tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
});

function tell(event: FitEvent): void {
  postMessage(event);
}

function toFit(model: Model, scores: Matrix): Omit<Fit, 'milliseconds'> {
  const column = (c: number): Float64Array =>
    Float64Array.from({ length: scores.rows }, (_, i) => scores.data[i * scores.cols + c]);
  return {
    components: model.components,
    varianceRatios: model.varianceRatios,
    totalVariance: model.totalVariance,
    n: model.n,
    plan: model.plan,
    certificate: model.certificate,
    uniqueness: model.uniqueness,
    warnings: model.warnings,
    first: column(0),
    ...(model.k > 1 ? { second: column(1) } : {}),
  };
}
