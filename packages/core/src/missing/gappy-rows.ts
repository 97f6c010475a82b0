import { mapAsync } from '../base/map-async.js';
import type { ProgressTracker } from '../base/progress.js';
import type { Block } from '../data/blocks/block.js';
import { mapSource, type RowSource } from '../data/blocks/row-source.js';
import type { Engine } from '../engines/engine.js';
import { fillBlock, type GappyBlock, gappyBlock, type OnFilled, type Predictor } from './gappy-block.js';

/**
 * Rows whose gaps are filled by a predictor that changes while a method iterates. Rows in memory are copied once, and their gaps are
 * filled in place. Other rows are filled whenever they are read: a filled value is a function of the predictor and of the observed values
 * of its row, so nothing is kept per missing value.
 */
export class GappyRows {
  /** The rows with their gaps filled: by column means until `fill` is called. */
  readonly source: RowSource;
  readonly engine: Engine;
  readonly #progress: ProgressTracker;
  readonly #copy: (block: Block) => GappyBlock | Block;
  readonly #kept: readonly (GappyBlock | Block)[] | undefined;
  #predictor: Predictor | undefined;
  #onFilled: OnFilled | undefined;

  /** `given` can be read again, and its missing values are NaN. `means` are the observed column means. */
  constructor(given: RowSource, means: Float64Array, engine: Engine, progress: ProgressTracker) {
    this.engine = engine;
    this.#progress = progress;
    const gappy = (block: Block): GappyBlock | Block =>
      (block.kind === 'dense' ? gappyBlock(block, means) : undefined) ?? block;
    this.#copy = gappy;
    if (given.resident) {
      this.#kept = [...(given.blocks() as Iterable<Block>)].map(gappy);
      const blocks = this.#kept.map((kept) => ('gaps' in kept ? kept.block : kept));
      this.source = mapSource(given, { blocks: () => blocks, sample: undefined, remote: undefined });
      return;
    }
    const blocks = (): AsyncIterable<Block> => {
      let first = 0;
      return mapAsync(given.blocks(), async (block) => {
        const kept = gappy(block);
        const from = first;
        first += block.rows;
        if (!('gaps' in kept)) return block;
        await this.#fillOne(kept, from);
        return kept.block;
      });
    };
    this.source = mapSource(given, { blocks, remote: undefined });
  }

  /**
   * Sets the predictor of missing values. `onFilled` is called for every row with gaps: now if rows are in memory, and otherwise whenever
   * they are read.
   */
  async fill(predictor: Predictor, onFilled?: OnFilled): Promise<void> {
    this.#predictor = predictor;
    this.#onFilled = onFilled;
    let first = 0;
    for (const kept of this.#kept ?? []) {
      if ('gaps' in kept) await this.#fillOne(kept, first);
      first += 'gaps' in kept ? kept.block.rows : kept.rows;
    }
  }

  /** A copy of a block with its gaps filled; the block itself if it has none. */
  async complete(block: Block): Promise<Block> {
    const copy = this.#copy(block);
    if (!('gaps' in copy)) return block;
    if (this.#predictor) await fillBlock(copy, this.#predictor, this.engine, (rows) => this.#progress.step(rows));
    return copy.block;
  }

  async #fillOne(kept: GappyBlock, first: number): Promise<void> {
    const onFilled = this.#onFilled;
    if (!this.#predictor) return;
    await fillBlock(
      kept,
      this.#predictor,
      this.engine,
      (rows) => this.#progress.step(rows),
      onFilled && ((row, missing, means) => onFilled(first + row, missing, means)),
    );
  }
}
