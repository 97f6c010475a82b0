import type { Scaler } from '../../data/blocks/block.js';
import type { OnStep } from '../engine.js';
import type { Gpu } from './device.js';
import {
  addProducts,
  type GpuMatrix,
  isNarrowProduct,
  type ProductSums,
  padded,
  readMatrix,
  reduceSums,
  splitNumbers,
} from './matrices.js';
import { type Meanwhile, type PassBuffers, type StoredRows, scalesOf, withBuffers } from './pass-buffers.js';

/** Writes Y = BVᵀ. Rows with a value that is not finite get NaN. */
export function multiplyPass(
  { gpu, resident, rows: total, cols: d }: StoredRows,
  scaler: Scaler,
  vectors: Float64Array,
  k: number,
  scores: Float64Array,
  report: OnStep,
): Promise<void> {
  const onSlice = (): void | Promise<void> => report(0);
  return withBuffers(gpu, async (use) => {
    const rows = await use.rows(resident, total, d, scaler, true);
    const { matrix: v, scales } = await use.matrix(vectors, k, d);
    const sums = await use.sums(Math.min(rows.slab, total), k, padded(d));
    const result = await use.reduced(sums, false);
    for (const { first, rows: count } of rows.slabs()) {
      const b = await rows.decode(first, count, onSlice);
      const shape = { n: k, terms: padded(d) };
      await addProducts(gpu, { over: 'rows', precision: 'two' }, b, v, sums, shape, onSlice);
      reduceSums(gpu, sums, result);
      const bad = await rows.badRows(count);
      await readMatrix(gpu, result, count, k, (i, values) => {
        for (let c = 0; c < k; c++) scores[(first + i) * k + c] = values[c] / scales[c];
      });
      for (const i of bad) scores.fill(Number.NaN, (first + i) * k, (first + i + 1) * k);
      await report(count);
    }
  });
}

/** Adds Z = YᵀB to `out`. */
export function multiplyTransposedPass(
  { gpu, resident, rows: total, cols: d }: StoredRows,
  scaler: Scaler,
  scores: Float64Array,
  k: number,
  out: Float64Array,
  report: OnStep,
): Promise<void> {
  const onSlice = (): void | Promise<void> => report(0);
  const scales = scalesOf(scores, k, (c, i) => i * k + c, total);
  return withBuffers(gpu, async (use) => {
    const rows = await use.rows(resident, total, d, scaler, true);
    const ld = padded(k);
    const y: GpuMatrix = {
      high: await use.buffer(rows.slab * ld * 4),
      low: await use.buffer(rows.slab * ld * 4),
      ld,
    };
    const z = await TransposedProducts.make(gpu, use, k, d, padded(Math.min(rows.slab, total)));
    for (const { first, rows: count } of rows.slabs()) {
      const b = await rows.decode(first, count, onSlice);
      const part = scores.subarray(first * k, (first + count) * k);
      const { high, low } = splitNumbers(part, count, k, ld, (_, c) => scales[c]);
      gpu.write(y.high, high);
      gpu.write(y.low!, low);
      await z.add(y, b, count, first > 0, onSlice);
      await report(count);
    }
    await z.read(out, scales);
  });
}

/** Returns VBᵀB of all rows, or of one slab. */
export function normalPass(
  { gpu, resident, rows: total, cols: d }: StoredRows,
  scaler: Scaler,
  vectors: Float64Array,
  k: number,
  report: OnStep,
  { slab, meanwhile }: { slab?: number; meanwhile?: Meanwhile | undefined } = {},
): Promise<Float64Array> {
  const onSlice = (): void | Promise<void> => report(0);
  return withBuffers(gpu, async (use) => {
    const rows = await use.rows(resident, total, d, scaler, true);
    const { matrix: v, scales } = await use.matrix(vectors, k, d);
    const height = Math.min(rows.slab, total);
    const scoreSums = await use.sums(height, k, padded(d));
    const y = await use.reduced(scoreSums, false);
    const z = await TransposedProducts.make(gpu, use, k, d, padded(height));
    const shape = { n: k, terms: padded(d) };
    let add = false;
    for (const { first, rows: count } of rows.slabs(slab)) {
      const b = await rows.decode(first, count, onSlice);
      await addProducts(gpu, { over: 'rows', precision: 'two' }, b, v, scoreSums, shape, onSlice);
      reduceSums(gpu, scoreSums, y);
      await z.add(y, b, count, add, onSlice);
      add = true;
      await report(count);
    }
    gpu.submit();
    await meanwhile?.();
    const out = new Float64Array(k * d);
    await z.read(out, scales);
    return out;
  });
}

/** Z = YᵀB (k × d), summed slab by slab. For small k the transpose is computed, in narrow tiles. */
class TransposedProducts {
  readonly #gpu: Gpu;
  readonly #use: PassBuffers;
  readonly #sums: ProductSums;
  readonly #k: number;
  readonly #d: number;

  private constructor(gpu: Gpu, use: PassBuffers, sums: ProductSums, k: number, d: number) {
    this.#gpu = gpu;
    this.#use = use;
    this.#sums = sums;
    this.#k = k;
    this.#d = d;
  }

  static async make(gpu: Gpu, use: PassBuffers, k: number, d: number, terms: number): Promise<TransposedProducts> {
    const sums = isNarrowProduct(k) ? await use.sums(d, k, terms) : await use.sums(k, d, terms);
    return new TransposedProducts(gpu, use, sums, k, d);
  }

  /** Adds the products of `rows` rows. If `add` is false, they replace the sums. */
  async add(
    y: GpuMatrix,
    b: GpuMatrix,
    rows: number,
    add: boolean,
    onSlice: () => void | Promise<void>,
  ): Promise<void> {
    const kind = { over: 'columns', precision: 'two' } as const;
    const terms = padded(rows);
    if (isNarrowProduct(this.#k))
      await addProducts(this.#gpu, kind, b, y, this.#sums, { n: this.#k, terms, add }, onSlice);
    else await addProducts(this.#gpu, kind, y, b, this.#sums, { n: padded(this.#d), terms, add }, onSlice);
  }

  /** Adds Z, each row divided by its scale, to `out`. */
  async read(out: Float64Array, scales: Float64Array): Promise<void> {
    const [k, d] = [this.#k, this.#d];
    const result = await this.#use.reduced(this.#sums);
    if (isNarrowProduct(k)) {
      await readMatrix(this.#gpu, result, d, k, (j, values) => {
        for (let c = 0; c < k; c++) out[c * d + j] += values[c] / scales[c];
      });
      return;
    }
    await readMatrix(this.#gpu, result, k, d, (c, values) => {
      for (let j = 0; j < d; j++) out[c * d + j] += values[j] / scales[c];
    });
  }
}
