import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProgressTracker, runTaskSync } from '../../../src/base/progress.js';
import type { Block } from '../../../src/data/blocks/block.js';
import { wasmEngine } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';
import { symmetricEigen } from '../../../src/linalg/symmetric-eigen.js';
import { type ScaledSketch, Sketch, type SketchSettings } from '../../../src/solvers/sketch/sketch.js';
import { withSpectrum } from '../../support/data.js';

const engine = (await wasmEngine({ threads: 1 }))!;
const progress = new ProgressTracker();

function block(rows: readonly (readonly number[])[]): Block {
  const cols = rows[0].length;
  return { kind: 'dense', rows: rows.length, cols, stride: cols, data: Float64Array.from(rows.flat()) };
}

async function sketchOf(
  parts: readonly (readonly (readonly number[])[])[],
  options: Partial<SketchSettings> & { size: number },
  weights?: readonly number[],
): Promise<Sketch> {
  const cols = parts[0][0].length;
  const sketch = new Sketch({ cols, rule: 'incremental', scale: 'none', centred: true, ...options });
  let first = 0;
  for (const part of parts) {
    const own = weights && Float64Array.from(weights.slice(first, first + part.length));
    await sketch.add(block(part), { first, weights: own, columnNames: undefined }, engine, progress);
    first += part.length;
  }
  return sketch;
}

/** The sketch in the data's own units. */
function plain(sketch: Sketch): ScaledSketch {
  const { cols: d } = sketch;
  const scaler = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1), unit: 1, scatterTrace: Infinity };
  return sketch.scaled(scaler, true, 1);
}

/** S − CᵀC by the definitions, and the trace of S. */
function difference(rows: readonly (readonly number[])[], { rows: c, count }: ScaledSketch, weights?: number[]) {
  const d = rows[0].length;
  const weightOf = (i: number) => weights?.[i] ?? 1;
  const total = rows.reduce((sum, _, i) => sum + weightOf(i), 0);
  const mean = Array.from({ length: d }, (_, j) => rows.reduce((sum, row, i) => sum + weightOf(i) * row[j], 0) / total);
  const scatter = new Float64Array(d * d);
  const left = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      rows.forEach((row, r) => {
        scatter[i * d + j] += weightOf(r) * (row[i] - mean[i]) * (row[j] - mean[j]);
      });
      let kept = 0;
      for (let r = 0; r < count; r++) kept += c[r * d + i] * c[r * d + j];
      left[i * d + j] = scatter[i * d + j] - kept;
    }
  }
  const values = runTaskSync(symmetricEigen(scatter, d, 0)).values;
  const errors = runTaskSync(symmetricEigen(left, d, 0)).values;
  return { values, trace: values.reduce((a, b) => a + b, 0), least: errors[d - 1], largest: errors[0] };
}

/** Rows cut into parts by a random number generator of its own. */
function cut(rows: number[][], seed: number): number[][][] {
  const { uniform } = random(seed);
  const parts: number[][][] = [];
  for (let from = 0; from < rows.length; ) {
    const to = Math.min(rows.length, from + 1 + Math.floor(uniform() ** 2 * 90));
    parts.push(rows.slice(from, to));
    from = to;
  }
  return parts;
}

const problems = fc.record({
  n: fc.integer({ min: 60, max: 300 }),
  d: fc.integer({ min: 3, max: 24 }),
  size: fc.integer({ min: 2, max: 12 }),
  seed: fc.integer(),
  rule: fc.constantFrom('incremental' as const, 'frequent-directions' as const),
  spectrum: fc.constantFrom(
    (i: number) => 0.7 ** i,
    (i: number) => 10 ** -i,
    (_: number) => 1,
    (i: number) => (i < 4 ? 1 : 0.1),
    (i: number) => (i < 5 ? 1 : 0),
  ),
  offset: fc.constantFrom(0, 1e4),
  drift: fc.constantFrom(0, 0.1),
  weighted: fc.boolean(),
});

/** Rows of a problem, and their weights. */
function rowsOf({
  n,
  d,
  spectrum,
  offset,
  drift,
  weighted,
  seed,
}: typeof problems extends fc.Arbitrary<infer T> ? T : never) {
  const rows = withSpectrum(n, d, spectrum, { seed, offset: (j) => offset * (1 + j) });
  const moved = rows.map((row, i) => row.map((x) => x + (drift * i) / n));
  return { rows: moved, weights: weighted ? moved.map((_, i) => [1, 0.5, 2, 0, 3][i % 5]) : undefined };
}

describe('a sketch', () => {
  it('has 0 ⪯ S − RᵀR ⪯ lost, for any data, order, weights and division into blocks', async () => {
    await fc.assert(
      fc.asyncProperty(problems, async (problem) => {
        const { rows, weights } = rowsOf(problem);
        const sketch = plain(await sketchOf(cut(rows, problem.seed), problem, weights));
        const { least, largest, trace } = difference(rows, sketch, weights);
        // The rounding of this test itself.
        const slack = sketch.rounding + 1e-13 * trace + 1e-12 * problem.offset ** 2 * 1e-6;
        expect(least).toBeGreaterThanOrEqual(-slack);
        expect(largest).toBeLessThanOrEqual(sketch.lost + slack);
        expect(sketch.rounding).toBeLessThan(1e-8 * trace + 1e-20);
      }),
      { numRuns: 300 },
    );
  });

  it('by Frequent Directions loses at most the tail beyond j over ℓ + 1 − j, for every j', async () => {
    await fc.assert(
      fc.asyncProperty(problems, async (problem) => {
        const { rows, weights } = rowsOf(problem);
        const options = { size: problem.size, rule: 'frequent-directions' as const };
        const sketch = await sketchOf(cut(rows, problem.seed), options, weights);
        const { lost, rounding } = plain(sketch);
        const { values, trace } = difference(rows, plain(sketch), weights);
        for (let j = 0; j <= sketch.size; j++) {
          const tail = values.slice(j).reduce((sum, value) => sum + Math.max(0, value), 0);
          expect(lost).toBeLessThanOrEqual((tail + 1e-12 * trace + rounding) / (sketch.size + 1 - j) + rounding);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with as many rows as the data have dimensions is exact to rounding, however the rows are divided', async () => {
    const rows = withSpectrum(400, 12, (i) => (i < 6 ? 0.5 ** i : 0), { offset: (j) => 100 * j });
    for (const rule of ['incremental', 'frequent-directions'] as const) {
      for (const seed of [1, 2, 3]) {
        const sketch = plain(await sketchOf(cut(rows, seed), { size: 6, rule }));
        const { least, largest, trace } = difference(rows, sketch);
        expect(Math.max(-least, largest)).toBeLessThan(1e-12 * trace);
        expect(sketch.lost).toBeLessThan(1e-12 * trace);
      }
    }
  });

  it('can be merged in any order and grouping: the bounds add up and hold', async () => {
    const rows = withSpectrum(500, 20, (i) => 0.8 ** i).map((row, i) => row.map((x) => x + (i > 300 ? 0.2 : 0)));
    for (const rule of ['incremental', 'frequent-directions'] as const) {
      const make = () =>
        Promise.all(
          [rows.slice(0, 130), rows.slice(130, 320), rows.slice(320)].map((part) =>
            sketchOf([part], { size: 6, rule }),
          ),
        );
      for (const order of [
        [0, 1, 2],
        [2, 0, 1],
        [1, 2, 0],
      ]) {
        const parts = await make();
        const all = parts[order[0]];
        let lost = plain(all).lost;
        for (const i of order.slice(1)) {
          lost += plain(parts[i]).lost;
          await all.merge(parts[i], engine, progress);
        }
        const sketch = plain(all);
        const { least, largest, trace } = difference(rows, sketch);
        expect(all.columns.rows).toBe(500);
        expect(sketch.lost).toBeGreaterThanOrEqual(lost);
        expect(least).toBeGreaterThan(-sketch.rounding - 1e-13 * trace);
        expect(largest).toBeLessThan(sketch.lost + sketch.rounding + 1e-13 * trace);
      }
    }
  });

  it('does not change when rows are added to its copy', async () => {
    const rows = withSpectrum(300, 10, (i) => 0.8 ** i);
    const sketch = await sketchOf([rows.slice(0, 200)], { size: 4 });
    const before = plain(sketch);
    const copy = sketch.copy();
    await copy.add(block(rows.slice(200)), { first: 0, weights: undefined, columnNames: undefined }, engine, progress);
    expect(plain(sketch)).toEqual(before);
    expect(copy.columns.rows).toBe(300);
    const whole = await sketchOf([rows.slice(0, 200), rows.slice(200)], { size: 4 });
    expect(plain(copy)).toEqual(plain(whole));
  });

  it('keeps columns in units of their own where they will be scaled, so that small columns are not lost next to large ones', async () => {
    const rows = withSpectrum(400, 10, (i) => 0.8 ** i, { scale: (j) => 10 ** (3 * j - 15) });
    const scaled = async (scale: SketchSettings['scale']) => {
      const sketch = await sketchOf(cut(rows, 7), { size: 10, scale });
      const deviation = Array.from(
        { length: 10 },
        (_, j) => Math.sqrt(sketch.columns.spread[j]) * sketch.columns.unit[j],
      );
      const factor = Float64Array.from(deviation, (x) => 1 / x);
      return sketch.scaled({ shift: new Float64Array(10), factor, unit: 1, scatterTrace: 10 }, true, 1);
    };
    expect((await scaled('unit')).rounding).toBeLessThan(1e-9);
    expect((await scaled('none')).rounding).toBeGreaterThan(1);
  });
});
