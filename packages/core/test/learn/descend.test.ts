import { principalAngles } from '@scree/analysis';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConvergenceError, type Matrix, pca } from '../../src/index.js';
import {
  combineRows,
  type DescentRule,
  descend,
  eigenOf,
  rotatedOnto,
  rowProducts,
  type Snapshot,
} from '../../src/learn/index.js';
import { toMatrix, withSpectrum } from '../support/data.js';

const rules: DescentRule[] = ['factored', 'pairwise', 'autoencoder', 'subspace', 'sanger', 'oja'];
const rows = withSpectrum(60, 6, (i) => [9, 7, 3, 2, 1, 0.5][i], { offset: (j) => 3 * j });

/** All that a snapshot shows, for comparing. */
function shown(state: Snapshot | undefined): unknown {
  if (!state) return undefined;
  return { ...state, scores: state.scores() };
}

describe.each(rules)('descend by %s', (rule) => {
  it('ends at the exact subspace, and reports the angle to it in every epoch', async () => {
    for (const data of [rows, toMatrix(rows), toMatrix(rows, true), withSpectrum(14, 40, (i) => 9 * 0.6 ** i)]) {
      const run = descend(data, { rule, tolerance: 1e-8 });
      const states = [...run];
      const last = states.at(-1) as Snapshot;
      const exact = await pca(data, { k: rule === 'oja' ? 1 : 2, solver: 'svd' });
      const angles = principalAngles(last.rows, exact.components);
      expect(angles[angles.length - 1]).toBeLessThan(1e-6);
      expect(last.angle).toBeCloseTo(angles[angles.length - 1], 7);
      expect(last.converged).toBe(true);
      expect(states.slice(0, -1).every(({ converged }) => !converged)).toBe(true);
      expect(states.map(({ epoch }) => epoch)).toEqual(states.map((_, i) => i));
      expect(run.next()).toEqual({ done: true, value: undefined });
      // Scores are those of the model, rotated: they have the same length.
      const scores = last.scores();
      const truth = await exact.transform(data);
      for (let i = 0; i < scores.rows; i++) {
        const length = (m: Matrix): number => Math.hypot(...m.data.subarray(i * m.cols, (i + 1) * m.cols));
        expect(Math.abs(length(scores) - length(truth))).toBeLessThan(1e-3 * exact.singularValues[0]);
      }
    }
  });

  it('gives the same snapshots for the same seed, whether or not it was paused', () => {
    const whole = [...descend(rows, { rule, seed: 4 })].map(shown);
    const run = descend(rows, { rule, seed: 4 });
    const parts: unknown[] = [];
    for (const state of run) {
      parts.push(shown(state));
      if (state.epoch === 3) break;
    }
    for (const state of run) parts.push(shown(state));
    expect(parts).toEqual(whole);
    const other = descend(rows, { rule, seed: 5 }).next().value;
    expect(shown(other)).not.toEqual(whole[0]);
  });

  it('gives copies: changing a snapshot does not change the run', () => {
    const [plain, disturbed] = [descend(rows, { rule }), descend(rows, { rule })];
    for (let epoch = 0; epoch < 6; epoch++) {
      const [a, b] = [plain.next().value, disturbed.next().value];
      expect(shown(b)).toEqual(shown(a));
      b?.rows.data.fill(Number.NaN);
      b?.scores().data.fill(Number.NaN);
    }
  });

  it('says when it runs out of epochs, and gives the last state', () => {
    const run = descend(rows, { rule, epochs: 3, tolerance: 1e-14 });
    let states = 0;
    const error = catching(() => {
      for (const _ of run) states++;
    }) as ConvergenceError<Snapshot>;
    expect(error).toBeInstanceOf(ConvergenceError);
    expect(error.message).toMatch(/more epochs \(epochs\)/);
    expect(error.best.epoch).toBe(2);
    expect(states).toBe(2);
    expect(run.next().done).toBe(true);
  });

  it('stops at a step that is too long, and names one that works', () => {
    let step = 50;
    for (let tries = 0; tries < 10; tries++) {
      const run = descend(rows, { rule, step });
      const error = catching(() => [...run]) as ConvergenceError<Snapshot | undefined> | undefined;
      if (!error) {
        expect(tries).toBeGreaterThan(0);
        return;
      }
      expect(error.code).toBe('DIVERGED');
      expect(error.details.option).toBe('step');
      step = error.details.expected as number;
    }
    throw new Error('no step works');
  });
});

function catching(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('descend from a given start', () => {
  const weights = { rows: 2, cols: 6, data: Float64Array.from({ length: 12 }, (_, i) => Math.cos(3 * i) / 2) };

  it.each(['autoencoder', 'subspace', 'sanger'] as const)('shows those weights first: %s', (rule) => {
    const run = descend(rows, { rule, start: weights, batch: rows.length });
    const first = run.next().value as Snapshot;
    expect(first.rows).toEqual(weights);
    expect(run.next().value?.rows).not.toEqual(weights);
    expect([...run].at(-1)?.angle).toBeLessThan(1e-4);
  });

  it.each(['factored', 'pairwise'] as const)('shows those points first, in the units of the data: %s', (rule) => {
    const start = { rows: 60, cols: 2, data: Float64Array.from({ length: 120 }, (_, i) => Math.sin(i)) };
    const first = descend(rows, { rule, start }).next().value as Snapshot;
    const { data } = first.scores();
    for (const c of [0, 1]) {
      const column = (values: Float64Array): number[] => Array.from({ length: 60 }, (_, i) => values[2 * i + c]);
      const mean = column(start.data).reduce((sum, value) => sum + value / 60, 0);
      column(data).forEach((value, i) => {
        expect(value).toBeCloseTo(start.data[2 * i + c] - mean, 12);
      });
    }
  });

  it.each(['oja', 'subspace', 'sanger'] as const)('steps on all rows by the formula of the rule: %s', (rule) => {
    const k = rule === 'oja' ? 1 : 2;
    const start = { rows: k, cols: 6, data: weights.data.slice(0, 6 * k) };
    const step = 0.3;
    const run = descend(rows, { rule, k, start, step, batch: rows.length, exactUnits: true });
    const [before, after] = [run.next().value as Snapshot, run.next().value as Snapshot];
    const means = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j] / rows.length, 0));
    const centred = rows.map((row) => row.map((value, j) => value - means[j]));
    const scatter = Float64Array.from({ length: 36 }, (_, at) =>
      centred.reduce((sum, x) => sum + x[Math.floor(at / 6)] * x[at % 6], 0),
    );
    const top = eigenOf(scatter, 6).values[0];
    const image = rowProducts(start.data, k, scatter, 6, 6).map((value) => value / top);
    const m = rowProducts(image, k, start.data, k, 6);
    const used = m.map((value, at) => (rule === 'sanger' && at % k > Math.floor(at / k) ? 0 : value));
    const back = combineRows(used, k, start.data, k, 6);
    after.rows.data.forEach((value, at) => {
      expect(value).toBeCloseTo(before.rows.data[at] + step * (image[at] - back[at]), 12);
    });
  });

  it('lets Sanger leave orthonormal rows that lose nothing: a loss that grows from zero is no divergence', () => {
    const plane = withSpectrum(50, 2, (i) => [3, 2.5][i]);
    const [c, s] = [Math.cos(1), Math.sin(1)];
    const start = { rows: 2, cols: 2, data: Float64Array.of(c, s, -s, c) };
    const states = [...descend(plane, { rule: 'sanger', start, step: 0.25, batch: 50, rest: 1e-7 })];
    expect(Math.max(...states.map(({ loss }) => loss))).toBeGreaterThan(0.001);
    expect(states.at(-1)?.converged).toBe(true);
  });

  it('refuses a start of another shape, or that is not finite', () => {
    const wrong = (start: unknown): unknown =>
      catching(() => descend(rows, { rule: 'autoencoder', k: 2, start: start as never }));
    expect(String(wrong({ rows: 60, cols: 2, data: new Float64Array(120) }))).toMatch(
      /start is 60 × 2; it must be a matrix of Float64Array with k × d = 2 × 6 numbers/,
    );
    expect(String(wrong([1, 2]))).toMatch(/start is undefined × undefined/);
    expect(String(wrong({ ...weights, data: weights.data.map(() => Number.NaN) }))).toMatch(/not finite/);
    expect(String(catching(() => descend(rows, { rule: 'factored', k: 2, start: weights })))).toMatch(/n × k = 60 × 2/);
  });
});

describe('descend until rest', () => {
  const flat = withSpectrum(40, 5, (i) => [4, 3][i] ?? 0);

  it('continues after the subspace is found, until points are the scores', async () => {
    const truth = await (await pca(flat, { k: 2, solver: 'svd' })).transform(flat);
    const misfit = (state: Snapshot | undefined): number => {
      const y = (state as Snapshot).scores().data;
      const z = rotatedOnto(Float64Array.from(truth.data), y, 40, 2);
      return Math.hypot(...z.map((value, at) => value - y[at])) / Math.hypot(...z);
    };
    for (const rule of ['factored', 'pairwise'] as const) {
      expect(misfit([...descend(flat, { rule })].at(-1))).toBeGreaterThan(1e-5);
      const last = [...descend(flat, { rule, rest: 1e-8 })].at(-1);
      expect(last?.converged).toBe(true);
      expect(misfit(last)).toBeLessThan(1e-7);
    }
  });

  it.each(rules)('ends at the first epoch that is at rest: %s', (rule) => {
    const hebbian = rule === 'oja' || rule === 'subspace' || rule === 'sanger';
    const options = {
      rule,
      rest: 1e-5,
      tolerance: 1e-3,
      step: 0.1,
      ...(hebbian ? { batch: 60 } : { descent: 'plain' as const }),
    };
    const states = [...descend(rows, options)];
    expect(states.at(-1)?.converged).toBe(true);
    const moved = (a: Snapshot, b: Snapshot): number => {
      const [from, to] = rule === 'factored' || rule === 'pairwise' ? [a.scores(), b.scores()] : [a.rows, b.rows];
      const unit = rule === 'factored' || rule === 'pairwise' ? 9 : 1;
      return Math.hypot(...to.data.map((value, at) => value - from.data[at])) / unit / 0.1;
    };
    // The steps before were longer than what counts as rest, but for the units, which are estimated.
    expect(moved(states.at(-3) as Snapshot, states.at(-2) as Snapshot)).toBeGreaterThan(0.9e-5);
  });

  it('says when it has not come to rest', () => {
    const error = catching(() => [...descend(flat, { rule: 'factored', rest: 1e-12, epochs: 20 })]);
    expect(String(error)).toMatch(/has not come to rest/);
    expect(String(catching(() => descend(flat, { rule: 'factored', rest: 0 })))).toMatch(/rest is 0; .* above 0/);
    expect(String(catching(() => descend(flat, { rule: 'subspace', rest: 1e-5, decay: 10 })))).toMatch(/with decay/);
  });
});

describe('descend in exact units', () => {
  it('ends at the least loss that there can be', () => {
    const spectrum = [9, 7, 3, 2, 1, 0.5];
    const last = [...descend(rows, { rule: 'factored', rest: 1e-8, exactUnits: true })].at(-1);
    const least = 4 * spectrum.slice(2).reduce((sum, value) => sum + (value / 9) ** 4, 0);
    expect(last?.loss).toBeCloseTo(least, 12);
  });
});

describe('descend after too long a step', () => {
  it.each(rules)('gives the state with the lowest loss: %s', (rule) => {
    const points = rule === 'factored' || rule === 'pairwise';
    const run = descend(rows, { rule, step: 2.5, ...(points ? {} : { batch: rows.length }) });
    const seen: Snapshot[] = [];
    const error = catching(() => {
      for (const state of run) seen.push(state);
    }) as ConvergenceError<Snapshot>;
    expect(error.code).toBe('DIVERGED');
    expect(error.best).toBe(seen.reduce((best, state) => (state.loss < best.loss ? state : best)));
    run.step = error.details.expected as number;
    const next = run.next().value as Snapshot;
    error.best.rows.data.forEach((value, at) => {
      expect(next.rows.data[at]).toBeCloseTo(value, 12);
    });
  });
});

describe('descend', () => {
  it('applies changes of α and of the step at once, while it runs', () => {
    const run = descend(rows, { rule: 'autoencoder' });
    const first = run.next().value as Snapshot;
    expect(first.loss).toBe(first.terms.reconstruction);
    run.alpha = 0.5;
    run.step = 0.01;
    const second = run.next().value as Snapshot;
    expect(second.step).toBe(0.01);
    expect(second.loss).toBeCloseTo(0.5 * second.terms.reconstruction + 0.5 * second.terms.orthogonality, 12);
    const third = run.next().value as Snapshot;
    const way = third.rows.data.map((value, at) => value - second.rows.data[at]);
    run.step = 0.02;
    run.next();
    expect(Math.hypot(...way)).toBeLessThan(0.01 * 10);
    run.step = undefined;
    run.momentum = 0.5;
    expect([run.step, run.alpha, run.momentum]).toEqual([undefined, 0.5, 0.5]);
    expect([...run].at(-1)?.converged).toBe(true);
    expect(() => {
      run.alpha = 2;
    }).toThrow(/alpha is 2/);
    expect(() => {
      run.step = Number.NaN;
    }).toThrow(/step is NaN/);
  });

  it('continues when α falls, and when a step that was too long is shortened', () => {
    for (const step of [0.1, undefined]) {
      const run = descend(rows, { rule: 'autoencoder', alpha: 0.95, ...(step ? { step } : {}) });
      for (let epoch = 0; epoch < 3; epoch++) run.next();
      run.alpha = 0;
      expect([...run].at(-1)?.converged).toBe(true);
    }
    for (const rule of rules) {
      const run = descend(rows, { rule, step: 30 });
      const error = catching(() => [...run]) as ConvergenceError;
      expect(error.code).toBe('DIVERGED');
      run.step = error.details.expected as number;
      expect([...run].at(-1)?.converged).toBe(true);
    }
  });

  it('accepts only changes that its rule supports', () => {
    const points = descend(rows, { rule: 'factored', descent: 'plain' });
    expect(() => {
      points.alpha = 0.5;
    }).toThrow(/no option "alpha" for points/);
    expect(() => {
      points.momentum = 0.5;
    }).toThrow(/momentum is for descent: 'momentum'/);
    const oja = descend(rows, { rule: 'oja' });
    expect(() => {
      oja.momentum = 0.5;
    }).toThrow(/no option "momentum" for hebbian/);
    const autoencoder = descend(rows, { rule: 'autoencoder' });
    expect(() => {
      autoencoder.alpha = undefined as never;
    }).toThrow(/alpha is NaN/);
  });

  it('does not stop where a direction is missing', () => {
    // Not centred, the mean is the first component, and random points that were centred would have nothing of it.
    const data = Array.from({ length: 20 }, (_, i) => {
      const side = i % 2 ? 1 : -1;
      return [10, side * (1 + (i >> 1)), side * 0.1 * ((i >> 1) % 3)];
    });
    for (const rule of ['factored', 'autoencoder', 'subspace'] as const) {
      const last = [...descend(data, { rule, k: 1, center: false })].at(-1);
      expect(last?.converged).toBe(true);
      expect(last?.angle).toBeLessThan(1e-4);
    }
  });

  it('compares only components with variance where more are requested than exist', () => {
    const flat = withSpectrum(30, 8, (i) => (i < 2 ? 3 - i : 0));
    for (const rule of ['factored', 'autoencoder', 'subspace', 'sanger'] as const) {
      expect([...descend(flat, { rule, k: 3 })].at(-1)?.angle).toBeLessThan(1e-4);
    }
  });

  it("by Sanger's rule ends with the components themselves, in order", async () => {
    const exact = await pca(rows, { k: 3 });
    const axis = (data: Float64Array, r: number) => ({ rows: 1, cols: 6, data: data.slice(6 * r, 6 * r + 6) });
    const apart = (rule: DescentRule): number => {
      const { rows: found } = [...descend(rows, { rule, k: 3 })].at(-1) as Snapshot;
      const angles = [0, 1, 2].map((r) => principalAngles(axis(found.data, r), axis(exact.components.data, r))[0]);
      return Math.max(...angles);
    };
    expect(apart('sanger')).toBeLessThan(0.02);
    expect(apart('subspace')).toBeGreaterThan(0.1);
  });

  it('converges on few rows in small batches, whatever the seed', () => {
    const few = withSpectrum(84, 3, (i) => [4, 2, 0.6][i]);
    for (const rule of ['oja', 'subspace', 'sanger'] as const) {
      for (let seed = 1; seed <= 12; seed++) {
        expect([...descend(few, { rule, seed })].at(-1)?.angle, `${rule}, seed ${seed}`).toBeLessThan(1e-4);
      }
    }
  });

  it("by Sanger's rule for all components does not end before they are in order", async () => {
    const all = withSpectrum(60, 4, (i) => 8 / 2 ** i);
    const exact = await pca(all, { k: 4 });
    const { rows: found } = [...descend(all, { rule: 'sanger', k: 4 })].at(-1) as Snapshot;
    const axis = (data: Float64Array, r: number) => ({ rows: 1, cols: 4, data: data.slice(4 * r, 4 * r + 4) });
    for (let r = 0; r < 4; r++) {
      expect(principalAngles(axis(found.data, r), axis(exact.components.data, r))[0]).toBeLessThan(0.02);
    }
  });

  it('separates attraction from repulsion', () => {
    // Two points near each other and far from the third, in one dimension: Dˣ is −2⟨xᵢ, xⱼ⟩ of centred rows.
    const state = descend([[0], [1], [11]], { rule: 'pairwise', k: 1, exact: false }).next().value as Snapshot;
    const { terms } = state;
    expect(state.forces(0).data[1]).toBeLessThan(0);
    expect(state.forces(0).data[2]).toBeGreaterThan(0);
    let [pull, push, pulls] = [0, 0, 0];
    const scores = state.scores().data;
    for (let i = 0; i < 3; i++) {
      const { data, embedding } = state.forces(i);
      for (let j = i + 1; j < 3; j++) {
        const force = (data[j] - embedding[j]) * Math.abs(scores[i] - scores[j]);
        if (force < 0) [pull, pulls] = [pull - force, pulls + 1];
        else push += force;
      }
    }
    // Terms are in units of σ₁ = 1, and forces in those of the data.
    expect(terms.attraction / terms.repulsion).toBeCloseTo(pull / push, 9);
    expect(terms.attracting).toBeCloseTo(pulls / 3, 12);
  });

  it('does not depend on units', () => {
    for (const rule of rules) {
      const of = (factor: number): Snapshot[] => [
        ...descend(
          rows.map((row) => row.map((value) => value * factor)),
          { rule },
        ),
      ];
      const [one, other] = [of(1), of(2 ** 30)];
      expect(other.map(({ loss, angle }) => [loss, angle])).toEqual(one.map(({ loss, angle }) => [loss, angle]));
      expect(other[0].scores().data[0]).toBe(one[0].scores().data[0] * 2 ** 30);
    }
  });

  it('agrees with the solvers of pca, epoch by epoch', async () => {
    for (const rule of rules) {
      const solver = rule === 'factored' || rule === 'pairwise' ? 'points' : rule === 'autoencoder' ? rule : 'hebbian';
      const learn = rule === 'autoencoder' ? {} : { rule };
      const model = await pca(rows, { k: rule === 'oja' ? 1 : 2, solver, learn, engine: 'reference' });
      const states = [...descend(rows, { rule })];
      model.trace?.forEach(({ loss, step }, i) => {
        if (!states[i]) return;
        expect(states[i].loss).toBeCloseTo(loss, 8);
        expect(states[i].step).toBe(step);
      });
    }
  });

  it('leaves the exact subspace out on request, or uses the given one', () => {
    expect(descend(rows, { rule: 'factored', exact: false }).next().value?.angle).toBeUndefined();
    const given = { rows: 2, cols: 6, data: Float64Array.of(1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0) };
    const { angle } = [...descend(rows, { rule: 'factored', exact: given })].at(-1) as Snapshot;
    expect(angle).toBeGreaterThan(0.1);
  });

  it('gives forces that add up to the step of every point', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, k) => {
        const run = descend(rows, { rule: 'factored', k, seed, step: 0.2, descent: 'plain' });
        const [before, after] = [run.next().value as Snapshot, run.next().value as Snapshot];
        const [y, moved] = [before.scores().data, after.scores().data];
        for (const i of [0, 17, 59]) {
          const { attraction, repulsion, data, embedding } = before.forces(i);
          expect([data.length, embedding.length]).toEqual([60, 60]);
          for (let c = 0; c < k; c++) {
            expect(moved[i * k + c] - y[i * k + c]).toBeCloseTo(0.1 * (attraction[c] + repulsion[c]), 9);
          }
        }
      }),
    );
    const state = descend(rows, { rule: 'subspace' }).next().value as Snapshot;
    expect(() => state.forces(0)).toThrow(/'pairwise' and 'factored' only/);
    const points = descend(rows, { rule: 'pairwise' }).next().value as Snapshot;
    expect(() => points.forces(60)).toThrow(/no point 60/);
  });

  it('rejects options and data that it cannot use', () => {
    const refused = (data: unknown, options: object): string => {
      const error = catching(() => descend(data as never, options as never).next());
      return (error as Error | undefined)?.message ?? 'nothing';
    };
    expect(refused(rows, {})).toMatch(/rule is undefined; it must be one of 'factored'/);
    expect(refused(rows, { rule: 'newton' })).toMatch(/rule is "newton"/);
    expect(refused(rows, { rule: 'factored', whiten: 'pca' })).toMatch(/no option "whiten"/);
    expect(refused(rows, { rule: 'factored', alpha: 0.5 })).toMatch(/no option "alpha" for points/);
    expect(refused(rows, { rule: 'factored', k: 7 })).toMatch(/k is 7; 60 rows of 6 columns/);
    expect(refused(rows, { rule: 'factored', descent: 'plain', momentum: 0.5 })).toMatch(/momentum is for descent/);
    const exact = { rows: 2, cols: 5, data: new Float64Array(10) };
    expect(refused(rows, { rule: 'factored', exact })).toMatch(/exact is 2 × 5, and the data have 6 columns/);
    expect(refused(rows, { rule: 'oja', k: 2 })).toMatch(/k must be 1/);
    expect(refused(rows, { rule: 'pairwise', center: false })).toMatch(/center cannot be false/);
    expect(refused([], { rule: 'factored' })).toMatch(/rows in memory/);
    expect(refused([[1, 2]], { rule: 'factored' })).toMatch(/1 row/);
    expect(refused([[1, 2], [3]], { rule: 'factored' })).toMatch(/Row 2 has 1 number/);
    expect(
      refused(
        [
          [1, 2],
          [3, Number.NaN],
        ],
        { rule: 'factored' },
      ),
    ).toMatch(/row 2, column 2/);
    expect(
      refused(
        [
          [1, 2],
          [1, 2],
        ],
        { rule: 'factored' },
      ),
    ).toMatch(/All rows are the same/);
    expect(
      refused(
        { rows: 9000, cols: 1, data: Float64Array.from({ length: 9000 }, Math.random) },
        { rule: 'pairwise', k: 1 },
      ),
    ).toMatch(/8192 points are the most/);
  });
});
