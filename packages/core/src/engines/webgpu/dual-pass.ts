import type { Scaler } from '../../data/blocks/block.js';
import type { DualTarget, OnStep } from '../engine.js';
import { addProducts, padded, panelWidth, readMatrix } from './matrices.js';
import { type StoredRows, withBuffers } from './pass-buffers.js';

/** Writes K = B₁B₂ᵀ. If both are the same rows, only the slabs of the upper triangle are computed. */
export function dualPass(
  one: StoredRows,
  scaler: Scaler,
  other: StoredRows,
  otherScaler: Scaler,
  into: DualTarget,
  report: OnStep,
): Promise<void> {
  const { gpu, cols: d } = one;
  const onSlice = (): void | Promise<void> => report(0);
  return withBuffers(gpu, async (use) => {
    const left = await use.rows(one.resident, one.rows, d, scaler, true);
    const right = await use.rows(other.resident, other.rows, d, otherScaler, true);
    for (const { first, rows } of left.slabs()) {
      const a = await left.decode(first, rows, onSlice);
      for (const { first: start, rows: cols } of right.slabs()) {
        if (other === one && start + cols <= first) continue;
        const b = await right.decode(start, cols, onSlice);
        const width = panelWidth(gpu, rows, cols);
        for (let column = 0; column < cols; column += width) {
          const n = Math.min(width, padded(cols) - column);
          const sums = await use.sums(rows, n, padded(d));
          const shape = { n, terms: padded(d), column };
          await addProducts(gpu, { over: 'rows', precision: 'two' }, a, b, sums, shape, onSlice);
          const result = await use.reduced(sums);
          await readMatrix(gpu, result, rows, Math.min(n, cols - column), (i, values) => {
            const to = (into.row + first + i) * into.size + into.column + start + column;
            into.products.set(values, to);
          });
          use.free(sums.c, result.high, result.low!);
          await report(0);
        }
      }
      await report(rows);
    }
  });
}
