import { it } from 'vitest';
import { random, symmetricEigen } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';
import { simulateNewRows } from '/tmp/wt/monitor/packages/analysis/src/rows/simulated-fits.js';
import { residualLimitOf } from '/tmp/wt/monitor/packages/analysis/src/rows/residual-limit.js';
const pops: Record<string, (d: number, k: number) => Float64Array> = {
  factor: (d, k) => Float64Array.from({ length: d }, (_, j) => (j < k ? 10 / (j + 1) : 0.5)),
  harmonic: (d) => Float64Array.from({ length: d }, (_, j) => 1 / (j + 1)),
  equal: (d) => new Float64Array(d).fill(1),
  geometric: (d) => Float64Array.from({ length: d }, (_, j) => 0.8 ** j),
};
it('coverage', async () => {
  for (const [n, d, k, runs] of [[30, 4, 2, 60], [30, 10, 3, 40],[30, 50, 5, 10], [60, 20, 5, 20], [300,50,5,5]] as number[][]) {
    for (const name of Object.keys(pops)) {
      const pop = pops[name](d, k);
      const rng = random(7 + n + d);
      let [bt, bq, old, count] = [0, 0, 0, 0]; let ms = 0;
      for (let r = 0; r < runs; r++) {
        const rows = new Float64Array(n * d); const mean = new Float64Array(d);
        for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) { rows[i * d + j] = Math.sqrt(pop[j]) * rng.normal(); mean[j] += rows[i * d + j] / n; }
        const s = new Float64Array(d * d);
        for (let i = 0; i < n; i++) for (let a = 0; a < d; a++) { const x = rows[i * d + a] - mean[a]; for (let b = a; b < d; b++) s[a * d + b] += (x * (rows[i * d + b] - mean[b])) / (n - 1); }
        const { values, vectors } = runTaskSync(symmetricEigen(s, d, k));
        const t = performance.now();
        const own = values.slice(0, Math.min(d, n - 1));
        const { t2, q } = simulateNewRows({ values: own, d, k, m: n - 1, inflation: 1 + 1 / n });
        ms += performance.now() - t;
        const base = residualLimitOf(own.subarray(k), 0.05) as number;
        const lt = t2[Math.ceil(0.95 * t2.length)], lq = q[Math.ceil(0.95 * q.length)] * base;
        for (let i = 0; i < 400; i++) {
          const x = Float64Array.from({ length: d }, (_, j) => Math.sqrt(pop[j]) * rng.normal() - mean[j]);
          let T = 0, Q = 0; for (let j = 0; j < d; j++) Q += x[j] * x[j];
          for (let c = 0; c < k; c++) { let z = 0; for (let j = 0; j < d; j++) z += vectors[c * d + j] * x[j]; T += (z * z) / values[c]; Q -= z * z; }
          bt += T > lt ? 1 : 0; bq += Q > lq ? 1 : 0; old += Q > base ? 1 : 0; count++;
        }
      }
      (await import('node:fs')).appendFileSync('/tmp/team/mon/cov2.log', '\n' + `${n}x${d} k${k} ${name}: T2 ${(100 * bt / count).toFixed(1)} Q ${(100 * bq / count).toFixed(1)} (old Q ${(100 * old / count).toFixed(1)}) ${(ms / runs).toFixed(0)} ms`);
    }
  }
}, 600000);
