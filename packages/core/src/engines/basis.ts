import type { Frame } from '../data/block.js';
import { transpose } from '../data/matrix.js';
import type { Basis, Beat, Engine, LoadedBlock } from './engine.js';

/** A basis for any engine: a dense block that grows, and its passes. */
export class LoadedBasis implements Basis {
  readonly #engine: Engine;
  readonly #length: number;
  readonly #plain: Frame;
  #data = new Float64Array(0);
  size = 0;

  constructor(engine: Engine, length: number) {
    this.#engine = engine;
    this.#length = length;
    this.#plain = { shift: new Float64Array(length), factor: new Float64Array(length).fill(1) };
  }

  append(vectors: Float64Array, count: number): void {
    const needed = (this.size + count) * this.#length;
    if (this.#data.length < needed) {
      const grown = new Float64Array(Math.max(needed, Math.min(this.#data.length * 2, this.#length * this.#length)));
      grown.set(this.#data.subarray(0, this.size * this.#length));
      this.#data = grown;
    }
    this.#data.set(vectors.subarray(0, count * this.#length), this.size * this.#length);
    this.size += count;
  }

  async project(vectors: Float64Array, count: number, from: number, beat: Beat): Promise<Float64Array> {
    const inside = new Float64Array((this.size - from) * count);
    const shadow = new Float64Array(count * this.#length);
    await this.#load(from, async (block) => {
      await block.multiply(this.#plain, vectors, count, inside, beat);
      await block.multiplyTransposed(this.#plain, inside, count, shadow, beat);
    });
    for (let i = 0; i < shadow.length; i++) vectors[i] -= shadow[i];
    return inside;
  }

  async combine(coordinates: Float64Array, count: number, beat: Beat): Promise<Float64Array> {
    const out = new Float64Array(count * this.#length);
    const scores = transpose(coordinates, count, this.size);
    await this.#load(0, (block) => block.multiplyTransposed(this.#plain, scores, count, out, beat));
    return out;
  }

  release(): void {
    this.#data = new Float64Array(0);
    this.size = 0;
  }

  async #load(from: number, use: (block: LoadedBlock) => void | Promise<void>): Promise<void> {
    const cols = this.#length;
    const data = this.#data.subarray(from * cols);
    const block = await this.#engine.load({ kind: 'dense', rows: this.size - from, cols, stride: cols, data });
    try {
      await use(block);
    } finally {
      block.release();
    }
  }
}
