import { describe, expect, it } from 'vitest';
import { ProgressTracker } from '../../src/base/progress.js';
import { ConvergenceError, type Engine, Model, type Progress, pca, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { solverNames, toMatrix, withSpectrum } from '../support/data.js';

const reference = referenceEngine();

describe('a phase with an unknown total', () => {
  it('reports an estimate, and its total at the end', () => {
    const seen: Progress[] = [];
    const tracker = new ProgressTracker({ onProgress: (progress) => seen.push(progress) });
    let rows: number | undefined;
    const begin = (): void => tracker.begin('reading', undefined, () => rows);
    begin();
    rows = 30;
    begin();
    tracker.step(25);
    tracker.end();
    expect(seen).toEqual([
      { phase: 'reading', done: 0 },
      { phase: 'reading', done: 0, total: 30 },
      { phase: 'reading', done: 25, total: 25 },
    ]);
  });
});

describe('long work', () => {
  const rows = toMatrix(withSpectrum(400, 60, (i) => 0.9 ** i));

  it.each(solverNames)('%s reports phases that begin at zero and end complete', async (solver) => {
    const seen: Progress[] = [];
    await pca(rows, { k: 3, solver, onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(1);
    const phases = new Map<string, Progress>();
    for (const progress of seen) phases.set(progress.phase, progress);
    for (const last of phases.values()) expect(last.done).toBe(last.total);
    expect(seen[0].done).toBe(0);
  });

  it.each(solverNames)('%s stops when it is aborted, with the signal’s reason', async (solver) => {
    await expect(pca(rows, { solver, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const reason = new Error('enough');
    let calls = 0;
    const onProgress = () => {
      if (++calls === 2) controller.abort(reason);
    };
    await expect(pca(rows, { k: 3, solver, signal: controller.signal, onProgress })).rejects.toBe(reason);
  });

  it.each(solverNames)('%s yields to the event loop, so that a timer can abort it', async (solver) => {
    const large = toMatrix(withSpectrum(100, 50, (i) => 0.99 ** i));
    const data = new Float64Array(200 * 100 * 50);
    for (let i = 0; i < 200; i++) data.set(large.data as Float64Array, i * 5000);
    // Every solver needs seconds for this shape.
    const square = { rows: 1000, cols: 1000, data };
    const start = performance.now();
    await expect(pca(square, { k: 100, solver, signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('a stream that is slow, endless or stuck can be aborted', async () => {
    const within = async (stream: AsyncIterable<number[]> | Iterable<number[]>): Promise<void> => {
      const start = performance.now();
      await expect(pca(stream, { signal: AbortSignal.timeout(60) })).rejects.toMatchObject({ name: 'TimeoutError' });
      expect(performance.now() - start).toBeLessThan(2000);
    };
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await within(
      (async function* slow() {
        for (let i = 0; ; i++) {
          yield [i, i * i];
          await wait(5);
        }
      })(),
    );
    await within(
      (async function* stuck() {
        yield [1, 2];
        await new Promise(() => {});
      })(),
    );
    await within(
      (function* endless() {
        for (let i = 0; ; i++) yield [i, i * i];
      })(),
    );
  });

  it('transform, inverseTransform and reconstructionError report progress and stop too', async () => {
    const model = await pca(rows, { k: 3 });
    const scores = await model.transform(rows);
    const signal = AbortSignal.abort();
    await expect(model.transform(rows, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(model.inverseTransform(scores, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(model.reconstructionError(rows, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    const seen: Progress[] = [];
    await model.transform(rows, { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toEqual({ phase: 'scores', done: 400, total: 400 });
  });

  it('that does not converge throws an error with the best model and the numbers', async () => {
    // The passes of this engine are wrong in the seventh digit, so no iteration can reach 1e-10.
    const { normal } = random(5);
    const noisy: Engine = {
      ...reference,
      load: async (block) => {
        const loaded = await reference.load(block);
        return {
          rows: loaded.rows,
          cols: loaded.cols,
          summarise: loaded.summarise.bind(loaded),
          gram: loaded.gram.bind(loaded),
          dual: loaded.dual.bind(loaded),
          multiply: loaded.multiply.bind(loaded),
          multiplyTransposed: loaded.multiplyTransposed.bind(loaded),
          release: loaded.release.bind(loaded),
          normal: async (frame, vectors, k, out, onStep) => {
            await loaded.normal(frame, vectors, k, out, onStep);
            for (let i = 0; i < out.length; i++) out[i] *= 1 + 1e-7 * normal();
          },
        };
      },
    };
    const error = await pca(rows, { k: 2, solver: 'krylov', engine: noisy }).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConvergenceError);
    expect(error.code).toBe('NOT_CONVERGED');
    expect(error.best).toBeInstanceOf(Model);
    expect(error.best.warnings.map(({ code }: { code: string }) => code)).toContain('NOT_CONVERGED');
    expect(error.details.value).toBeGreaterThan(1e-10);
    expect(error.message).toMatch(/stopped after \d+ passes at a residual of .* above the tolerance 1e-10/);
    expect((await pca(rows, { k: 2, solver: 'krylov', engine: noisy, tolerance: 1e-5 })).k).toBe(2);
  });
});
