import { Moments, type PcaOptions, pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { fitAndAsk } from '../../../analysis/src/fit-and-ask.js';
import type { DenseBlock } from '../../src/data/blocks/block.js';
import type { RowSource } from '../../src/data/blocks/row-source.js';
import type { Engine, LoadedBlock } from '../../src/engines/engine.js';
import { DenseReference } from '../../src/engines/reference/dense.js';
import { reference } from '../../src/engines/reference/reference.js';
import type { RemoteRows } from '../../src/engines/remote.js';
import { random } from '../../src/linalg/random.js';

/** A source with rows on a remote engine named "elsewhere", and counts of passes and readings. */
function remoteSource(
  rows: number,
  cols: number,
  { reading = 1, start = 0.001, streaming = 1e-4 } = {},
): { source: RowSource; block: DenseBlock; counts: { passes: number; readings: number } } {
  const { normal } = random(rows * cols);
  const data = Float64Array.from({ length: rows * cols }, (_, at) => normal() * 0.8 ** (at % cols) + 5);
  const block: DenseBlock = { kind: 'dense', rows, cols, stride: cols, data };
  const counts = { passes: 0, readings: 0 };
  const load = (): LoadedBlock => {
    counts.passes++;
    return new DenseReference(block);
  };
  const executors: Engine = {
    ...reference,
    name: 'elsewhere',
    remote: true,
    rates: { ...reference.rates, reading, start },
  };
  const remote: RemoteRows = {
    engine: 'elsewhere',
    executors,
    load,
    streaming: { reading: streaming, start: 0.01 },
  };
  const source: RowSource = {
    rows,
    cols,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    remote,
    blocks: () => {
      counts.readings++;
      return [block];
    },
  };
  return { source, block, counts };
}

describe('remote rows', () => {
  it.each([
    ['covariance', 400, 12, {}],
    ['krylov', 300, 80, { solver: 'krylov' }],
  ] as const)(
    'are fitted by %s on the remote engine without a reading',
    async (solver, rows, cols, options: PcaOptions) => {
      const { source, block, counts } = remoteSource(rows, cols);
      const model = await pca(source, { k: 3, ...options });
      expect(model.plan).toMatchObject({ solver, engine: 'elsewhere' });
      expect(model.plan.reason).toMatch(/The passes run where the rows are, on elsewhere/);
      expect(counts.readings).toBe(0);
      expect(counts.passes).toBeGreaterThan(0);
      const local = await pca(block, { k: 3, solver, engine: 'reference' });
      // Random starts depend on the rows on this machine, and on the ranges of the columns on the remote engine.
      local.variances.forEach((variance, i) => {
        const bound = local.certificate.varianceBounds[i] + model.certificate.varianceBounds[i];
        expect(Math.abs(model.variances[i] - variance)).toBeLessThanOrEqual(bound);
      });
    },
  );

  it('are read to this machine if that is faster, and the plan gives the reason', async () => {
    const { source, counts } = remoteSource(50, 4, { start: 5, streaming: 0.1 });
    const { plan } = await pca(source, { k: 2 });
    expect(plan.engine).not.toBe('elsewhere');
    expect(plan.reason).toMatch(/over the network: about 1 s; passes on elsewhere would take about 5 s/);
    expect(counts.passes).toBe(0);
  });

  it.each([
    ['a solver that needs them', { solver: 'svd' }],
    ['weights, which are on this machine', { weights: Array.from({ length: 60 }, (_, i) => 1 + (i % 3)) }],
    ['an engine of this machine', { engine: 'reference' }],
  ] as const)('are read to this machine for %s', async (_, options: PcaOptions) => {
    const { source, counts } = remoteSource(60, 5);
    const { plan } = await pca(source, { k: 2, ...options });
    expect(plan.engine).not.toBe('elsewhere');
    expect(counts.passes).toBe(0);
    expect(counts.readings).toBeGreaterThan(0);
  });

  it('are fitted on the remote engine on request, but not by every solver', async () => {
    const slow = remoteSource(60, 5, { start: 100 });
    expect((await pca(slow.source, { k: 2, engine: 'elsewhere' })).plan.engine).toBe('elsewhere');
    const refused = pca(remoteSource(60, 5).source, { k: 2, engine: 'elsewhere', solver: 'dual' });
    await expect(refused).rejects.toMatchObject({ code: 'BAD_OPTION', details: { option: 'solver' } });
  });

  it('get warnings about their columns without a reading', async () => {
    const { source, counts } = remoteSource(500, 30);
    const { model } = await fitAndAsk(source, { k: 2, inspectColumns: true });
    expect(model.warnings.map(({ code }) => code)).toContain('UNEQUAL_SPREAD');
    expect(counts.readings).toBe(0);
  });

  it('are summed up into moments on the remote engine', async () => {
    const { source, block, counts } = remoteSource(200, 6);
    const moments = await new Moments(6).add(source);
    expect(counts.readings).toBe(0);
    expect([...moments.covariance().data]).toEqual([
      ...(await new Moments(6).add(block, { engine: 'reference' })).covariance().data,
    ]);
  });
});
