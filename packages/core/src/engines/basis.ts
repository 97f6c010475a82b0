import { transpose } from '../linalg/transpose.js';
import type { Basis, Engine, OnStep } from './engine.js';
import { VectorBlock } from './vector-block.js';

/** A basis for any engine: a dense block that grows. */
export class LoadedBasis implements Basis {
  readonly #engine: Engine;
  readonly #length: number;
  #data = new Float64Array(0);
  size = 0;

  constructor(engine: Engine, length: number) {
    this.#engine = engine;
    this.#length = length;
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

  project(vectors: Float64Array, count: number, from: number, onStep: OnStep): Promise<Float64Array> {
    return this.#use(from, onStep, async (block) => {
      const inside = await block.coordinates(vectors, count);
      const shadow = await block.combine(inside, count);
      for (let i = 0; i < shadow.length; i++) vectors[i] -= shadow[i];
      return inside;
    });
  }

  combine(coordinates: Float64Array, count: number, onStep: OnStep): Promise<Float64Array> {
    return this.#use(0, onStep, (block) => block.combine(transpose(coordinates, count, this.size), count));
  }

  release(): void {
    this.#data = new Float64Array(0);
    this.size = 0;
  }

  /** Loads the vectors from index `from` on as a block while `use` runs. */
  #use<Result>(from: number, onStep: OnStep, use: (block: VectorBlock) => Promise<Result>): Promise<Result> {
    const tools = { engine: this.#engine, progress: { yieldToEventLoop: () => onStep(0) } };
    return VectorBlock.use(this.#data.subarray(from * this.#length), this.size - from, this.#length, tools, use);
  }
}
