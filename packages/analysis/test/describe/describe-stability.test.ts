import { type Matrix, type Model, pca, type Stability } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../../core/test/support/table.js';
import {
  describeCertificate,
  describeRounding,
  describeStability,
  describeUniqueness,
  describeVarianceBias,
  describeVarianceIntervals,
} from '../../src/describe/index.js';
import { analyzed } from '../support/analyzed.js';

/** Normal rows with these standard deviations of the columns. */
function columns(n: number, deviations: readonly number[], seed = 1): Matrix {
  const { normal } = random(seed);
  const d = deviations.length;
  return { rows: n, cols: d, data: Float64Array.from({ length: n * d }, (_, at) => deviations[at % d] * normal()) };
}

async function fitted(
  data: Matrix | number[][],
  options: object = {},
): Promise<{ model: Model; stability: Stability }> {
  const model = await analyzed(data, { bootstrap: 300, ...options });
  return { model, stability: model.stability as Stability };
}

describe('sentences about stability', () => {
  it('call components stable, with the angle of 95 % of the replicates', async () => {
    const { stability } = await fitted(columns(500, [10, 5, 2]));
    const [first] = describeStability(stability);
    expect(first).toMatch(/^PC1, PC2 and PC3 are stable \(±[\d.]+°, ±[\d.]+°, ±[\d.]+°\)\.$/);
    for (const { q95 } of stability.angles) expect(q95).toBeLessThan(Math.PI / 6);
  });

  it('say which neighbours may swap, and if their plane is stable', async () => {
    const { stability } = await fitted(columns(200, [10, 3, 3, 0.5]), { k: 3 });
    const words = describeStability(stability);
    expect(words[0]).toMatch(/^PC1 is stable \(±[\d.]+°\); PC2 and PC3 may swap in another sample\.$/);
    expect(words[1]).toMatch(/^Half of the replicates turn PC2 by more than \d+°/);
    expect(words[2]).toMatch(/^The space that the first 3 span together is stable \(±[\d.]+°\)\.$/);
    expect(stability.swaps[1]).toBeGreaterThan(0.05);
    expect(stability.subspaceAngles[2].q95).toBeLessThan(Math.PI / 6);
  });

  it('do not call components stable that are not recommended', async () => {
    const { stability } = await fitted(columns(500, [10, 5, 2]));
    expect(describeStability(stability, 3, 1)[0]).toMatch(/^PC1 is stable \(±[\d.]+°\)\.$/);
    expect(describeStability(stability, 3, 0)[0]).toBe('No component is recommended, so none is called stable.');
    const { stability: noise } = await fitted(columns(200, [3, 3, 3, 3]));
    const words = describeStability(noise, 4, 0);
    expect(words[0]).toBe('PC1 to PC4 may change places in another sample.');
    expect(words.join(' ')).not.toMatch(/stable/);
  });

  it('do not call components stable that cannot turn', async () => {
    const { data } = columns(100, [3, 1]);
    const related = Array.from({ length: 100 }, (_, i) => [data[2 * i], data[2 * i] + data[2 * i + 1]]);
    const [pair] = describeStability((await fitted(related, { scale: 'unit' })).stability);
    expect(pair).toBe(
      'Two columns of equal variance have the same components in every sample: their sum and their difference.',
    );
    const [one] = describeStability((await fitted(columns(100, [3]))).stability);
    expect(one).toBe('One column has one component, in every sample.');
    const [free] = describeStability((await fitted(columns(100, [3, 1]))).stability);
    expect(free).toMatch(/^PC1 and PC2 are stable \(±/);
  });

  it('do not take rounding for a turn if two columns of equal variance hardly correlate', async () => {
    const { stability } = await fitted(columns(60, [1, 1]), { scale: 'unit' });
    expect(stability.swaps[0]).toBeGreaterThan(0.05);
    expect(describeStability(stability)).toEqual([
      'Two columns of equal variance have the same components in every sample: their sum and their difference, but which of them is PC1 may differ.',
    ]);
  });

  it('say only that a component has no variance', async () => {
    const { stability } = await fitted(columns(60, [3, 1, 0, 0]));
    const words = describeStability(stability);
    expect(words[0]).toMatch(/^PC1 and PC2 are stable \(±[\d.]+°, ±[\d.]+°\); PC3 and PC4 have no variance\.$/);
    expect(words.join(' ')).not.toMatch(/90°|span together/);
    const loose = (await fitted(columns(60, [1, 1, 0, 0]))).stability;
    expect(describeStability(loose).join(' ')).not.toMatch(/span together/);
  });

  it('never turn an axis by more than 90°, nor promise less than a tenth of a degree', async () => {
    const { stability } = await fitted(columns(3, [1, 1, 1, 1]), { k: 2 });
    expect(describeStability(stability).join(' ')).toMatch(/by about 90°/);
    expect(describeStability(stability).join(' ')).not.toMatch(/more than 90°/);
    const [first] = describeStability((await fitted(columns(100, [1e6, 2, 1]))).stability);
    expect(first).toMatch(/\(±0\.1°, /);
  });

  it('call nothing stable in pure noise, although rounding would', async () => {
    const { model, stability } = await fitted(columns(200, Array(10).fill(1)));
    const words = describeStability(stability).join(' ');
    expect(words).not.toMatch(/(is|are) stable|span together/);
    expect(words).toMatch(/PC1 to PC10 may change places in another sample/);
    expect(model.certificate.angleBounds[0]).toBeLessThan(1e-9);
  });

  it('describe the components of decathlon2', async () => {
    const { rows } = readTable('decathlon2-27');
    const { stability } = await fitted(rows, { scale: 'unit', ddof: 0, k: 3 });
    const [first, second] = describeStability(stability);
    // The interval of PC1's 95th percentile from 300 replicates is about 35° to 45°.
    expect(first).toMatch(/^PC1 is uncertain \(±(3[5-9]|4[0-5])°\); PC2 and PC3 may swap in another sample\.$/);
    expect(second).toMatch(
      /^Half of the replicates turn PC1 by more than 1\d°, one in twenty by more than (3[5-9]|4[0-5])°\.$/,
    );
  });

  it('say how replicates were drawn, and that it is not about rounding', async () => {
    const data = columns(60, [3, 1]);
    for (const [kind, words] of [
      ['rows', /drawn from these rows with replacement/],
      ['blocks', /runs of neighbouring rows/],
      ['parametric', /from a normal distribution/],
    ] as const) {
      const model = await analyzed(data, { bootstrap: { replicates: 20, kind } });
      expect(describeStability(model.stability as Stability).at(-1)).toMatch(words);
      expect(describeStability(model.stability as Stability).at(-1)).toMatch(/20 replicates .* not about rounding\.$/);
    }
  });

  it('give the interval of each share', async () => {
    const { model } = await fitted(columns(300, [3, 1]));
    expect(describeVarianceIntervals(model)[0]).toMatch(
      /^PC1 keeps [\d.]+\u00a0% of the variance; the 95 % interval is [\d.]+\u00a0% to [\d.]+\u00a0%\.$/,
    );
    expect(describeVarianceIntervals(await pca(columns(30, [3, 1])))).toEqual([]);
  });
});

describe('sentences about intervals of variances', () => {
  it('explain an interval that excludes its variance, and few rows', async () => {
    const { model, stability } = await fitted(columns(30, [40, ...Array(2000).fill(1)]), { k: 10 });
    expect(stability.variances.some(([, high], i) => model.variances[i] > high)).toBe(true);
    const words = describeVarianceBias(model);
    expect(words).toHaveLength(2);
    expect(words[0]).toMatch(/leaves out its variance corrects for bias/);
    // From the second on the truth is 1, and no interval comes near it.
    expect(stability.variances.slice(1).every(([low]) => low > 1.5)).toBe(true);
    expect(words[1]).toMatch(/do not rely on/);
    expect(describeVarianceBias((await fitted(columns(300, [3, 1]))).model)).toEqual([]);
  });
});

describe('sentences about rounding and uniqueness', () => {
  it('never say that the data determine anything, nor speak of digits of the file', async () => {
    for (const data of [columns(200, Array(10).fill(1)), columns(50, [3, 1]), columns(50, [1, 0, 0])]) {
      const model = await pca(data);
      const words = [...describeUniqueness(model), ...describeCertificate(model), describeRounding(model)].join(' ');
      expect(words).not.toMatch(/determine|last digit/);
    }
  });

  it('say in one line to how many digits the sample’s numbers are computed', async () => {
    expect(describeRounding(await pca(columns(200, [3, 1])))).toMatch(
      /^Computed to 1\d digits, directions to [\d.]+\u00a0×\u00a010⁻\S+°\.$/,
    );
    expect(
      describeRounding(
        await pca([
          [1, 1],
          [1, 1],
          [1, 1],
        ]),
      ),
    ).toBe('Computed: no variance can be told from zero.');
  });

  it('name the last place that was changed for float64 and float32', async () => {
    const data = columns(40, [3, 1]);
    expect(describeUniqueness(await pca(data))[1]).toContain('half a unit in its last float64 place');
    const float32 = { ...data, data: Float32Array.from(data.data) };
    expect(describeUniqueness(await pca(float32))[1]).toContain('half a unit in its last float32 place');
  });

  it('say that components of equal variance are not unique', async () => {
    const square = await pca([
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]);
    expect(describeUniqueness(square)[1]).toMatch(
      /^Not unique: both components\. Other axes would fit these rows as well/,
    );
    expect(describeUniqueness(await pca(columns(40, [3, 1]), { k: 1 } as never))[1]).toMatch(
      /^The sample’s components are unique|^The sample’s component is unique/,
    );
  });
});
