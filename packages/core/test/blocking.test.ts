import { describe, expect, it } from 'vitest';
import { nextTurn } from '../src/base/event-loop.js';
import { type PcaOptions, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';

const [rows, cols] = [1500, 120];
const data = { rows, cols, data: Float64Array.from({ length: rows * cols }, random(1).normal) };
const fit = (options: PcaOptions = {}) => pca(data, { k: 4, engine: 'wasm', ...options });

describe('the event loop', () => {
  it('has a turn of its own for every fit that waits for one', async () => {
    const order: string[] = [];
    const turns = [1, 2, 3].map((number) => nextTurn().then(() => order.push(`fit ${number}`)));
    let events = 0;
    // An event that comes again and again, as requests of a server do.
    const event = (): void => {
      order.push('event');
      if (++events < 6) setTimeout(() => setImmediate(event), 0);
    };
    setImmediate(event);
    await Promise.all(turns);
    expect(order.filter((what) => what !== 'event')).toEqual(['fit 1', 'fit 2', 'fit 3']);
    // The first two never share a turn: the event was queued between them.
    expect(order.indexOf('event')).toBeLessThan(order.indexOf('fit 2'));
  });

  it('can be blocked more or less, with the same bits', async () => {
    const expected = await fit();
    for (const blocking of ['none', 'short', 'full'] as const) {
      for (const threads of [1, 2, 3]) {
        const model = await fit({ blocking, threads, solver: 'covariance' });
        expect(model.components.data).toEqual((await fit({ solver: 'covariance' })).components.data);
      }
      expect((await fit({ blocking })).components.data).toEqual(expected.components.data);
    }
    await expect(fit({ blocking: 'long' as 'full' })).rejects.toThrow(/blocking is "long"; it must be 'none', 'short'/);
  });
});

describe('fits that are called at the same time', () => {
  it('run one after the other, in their order, and all end with the same bits', async () => {
    const events: number[] = [];
    const models = await Promise.all(
      Array.from({ length: 12 }, (_, i) => fit({ onProgress: () => events.push(i), solver: 'covariance' })),
    );
    // No fit reports anything after a later one has begun.
    expect(events).toEqual([...events].sort((a, b) => a - b));
    expect(new Set(events).size).toBe(12);
    for (const { components } of models) expect(components.data).toEqual(models[0].components.data);
  });

  it('can be cancelled while they wait, and the others go on', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    // Takes many slices, so that the others still wait when some of them are cancelled.
    const large = { rows: 20_000, cols: 300, data: new Float64Array(6e6).map((_, i) => Math.sin(i * i)) };
    const first = pca(large, { k: 4, engine: 'wasm' });
    const before = Array.from({ length: 4 }, () => fit());
    const cancelled = Array.from({ length: 4 }, () => fit({ signal: controller.signal }));
    const after = Array.from({ length: 4 }, () => fit());
    controller.abort(reason);
    for (const { status } of await Promise.allSettled(cancelled)) expect(status).toBe('rejected');
    await first;
    const models = await Promise.all([...before, ...after]);
    for (const { components } of models) expect(components.data).toEqual(models[0].components.data);
    // And the queue is empty afterwards.
    expect((await fit()).components.data).toEqual(models[0].components.data);
  });

  it('do not wait for each other where one is a stream whose rows await another fit', async () => {
    async function* nested(): AsyncGenerator<number[]> {
      const { components } = await fit();
      for (let i = 0; i < 5; i++) yield [i, i * i, components.data[i]];
    }
    const models = await Promise.all(Array.from({ length: 8 }, () => pca(nested(), { k: 1 })));
    for (const { variances } of models) expect(variances).toEqual(models[0].variances);
  });
});
