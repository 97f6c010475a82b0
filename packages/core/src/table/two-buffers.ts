import type { NumberArray } from '../data/blocks/matrix.js';

/** Two buffers in turn: a step copies a block into one of them while the block before may still be in use. */
export class TwoBuffers {
  readonly #buffers: NumberArray[] = [];
  #turn = 0;

  /** A buffer of the type of `like`, for `length` numbers at least. It has numbers of an earlier block. */
  next(like: NumberArray, length: number): NumberArray {
    this.#turn = 1 - this.#turn;
    const known = this.#buffers[this.#turn];
    if (known && known.length >= length && known.constructor === like.constructor) return known;
    const buffer = new (like.constructor as new (length: number) => NumberArray)(length);
    this.#buffers[this.#turn] = buffer;
    return buffer;
  }
}
