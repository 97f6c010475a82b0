import type { Scaler } from '../../data/blocks/block.js';
import type { OnStep } from '../engine.js';
import type { Gpu } from './device.js';
import { IntegerPanel } from './integer-gram.js';
import { addProducts, joinParts, type ProductSums, padded, panelWidth, readMatrixRows } from './matrices.js';
import { type Meanwhile, type PassBuffers, type StoredRows, withBuffers } from './pass-buffers.js';
import type { ScaledRows } from './scaled-rows.js';

type OnSlice = () => void | Promise<void>;

/** Returns true if all columns of the sums fit into memory together. */
export const fitsOnePanel = (gpu: Gpu, d: number): boolean => panelWidth(gpu, d, d) >= padded(d);

/** The n columns from `column` on of d × d sums, in two float32 parts if `two` is true. */
interface PanelShape {
  readonly d: number;
  readonly n: number;
  readonly column: number;
  readonly two: boolean;
}

/** Some columns of S = BᵀB, upper triangle, summed slab by slab. */
export class GramPanel {
  readonly #gpu: Gpu;
  readonly #use: PassBuffers;
  readonly #rows: ScaledRows;
  readonly #sums: ProductSums;
  readonly #shape: PanelShape;
  #add = false;

  private constructor(gpu: Gpu, use: PassBuffers, rows: ScaledRows, sums: ProductSums, shape: PanelShape) {
    this.#gpu = gpu;
    this.#use = use;
    this.#rows = rows;
    this.#sums = sums;
    this.#shape = shape;
  }

  /** Creates the panel of the columns from `column` on. */
  static async make(
    use: PassBuffers,
    { gpu, rows: total, cols: d }: StoredRows,
    rows: ScaledRows,
    two: boolean,
    column = 0,
  ): Promise<GramPanel> {
    const n = Math.min(panelWidth(gpu, d, d), padded(d) - column);
    // Rows below the panel belong to the lower triangle.
    const sums = await use.sums(Math.min(d, column + n), n, padded(Math.min(rows.slab, total)));
    return new GramPanel(gpu, use, rows, sums, { d, n, column, two });
  }

  /** The first column after this panel. */
  get end(): number {
    return this.#shape.column + this.#shape.n;
  }

  async add(first: number, count: number, onSlice: OnSlice): Promise<void> {
    const b = await this.#rows.decode(first, count, onSlice);
    const { n, column, two } = this.#shape;
    const shape = { n, terms: padded(count), column, upper: true, add: this.#add };
    this.#add = true;
    const kind = { over: 'columns', precision: two ? 'two' : 'float32' } as const;
    await addProducts(this.#gpu, kind, b, b, this.#sums, shape, onSlice);
  }

  /** Writes the sums into the upper triangle of `scatter`, and frees them. */
  async read(scatter: Float64Array): Promise<void> {
    const { d, n, column } = this.#shape;
    const result = await this.#use.reduced(this.#sums);
    const width = Math.min(n, d - column);
    await readMatrixRows(this.#gpu, result, Math.min(d, this.end), (i, high, low, at) => {
      const first = Math.max(0, i - column);
      joinParts(high, low, at + first, scatter, i * d + column + first, width - first);
    });
    this.#use.free(this.#sums.c, result.high, result.low!);
  }
}

/** Writes the upper triangle of S = BᵀB of all rows, or of one slab. For rows of bytes, `every` selects every n-th row. */
export function gramPass(
  stored: StoredRows,
  scaler: Scaler,
  two: boolean,
  scatter: Float64Array,
  report: OnStep,
  { slab, every, meanwhile }: { slab?: number; every?: number; meanwhile?: Meanwhile | undefined } = {},
): Promise<void> {
  const { gpu, resident, rows: total, cols: d } = stored;
  const onSlice = (): void | Promise<void> => report(0);
  return withBuffers(gpu, async (use) => {
    const rows = await use.rows(resident, total, d, scaler, two);
    if (fitsOnePanel(gpu, d + 1) && IntegerPanel.suits(stored, scaler)) {
      const panel = await IntegerPanel.make(use, stored, scaler, rows.slab, every);
      for (const { first, rows: count } of rows.slabs(slab)) {
        await panel.add(first, count, onSlice);
        await report(count);
      }
      await meanwhile?.();
      return panel.read(scatter);
    }
    for (let column = 0; column < d; ) {
      const panel = await GramPanel.make(use, stored, rows, two, column);
      for (const { first, rows: count } of rows.slabs(slab)) {
        await panel.add(first, count, onSlice);
        await report(column === 0 ? count : 0);
      }
      column = panel.end;
      if (column >= d) await meanwhile?.();
      await panel.read(scatter);
    }
  });
}
