import type { Block } from '@scree/core/data';
import { isFloatArray } from '@scree/core/data';

/** Multipliers of MurmurHash3, 128 bits for 32-bit machines. */
const FACTORS = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const;

/**
 * 128 bits that identify rows and their order, for any blocks: the same rows have the same fingerprint, and other rows practically
 * never do. It does not protect against tables that are constructed to collide.
 *
 * Four lanes of 32 bits; word i of the rows goes to lane i mod 4, as in MurmurHash3: h = 5·rotl(h ⊕ c·w, 13) + n.
 */
export class RowFingerprint {
  readonly #lanes = new Int32Array(4);
  #words = 0;
  #weights: RowFingerprint | undefined;

  text(text: string): void {
    this.#word(text.length);
    for (let i = 0; i < text.length; i++) this.#word(text.charCodeAt(i));
  }

  add(block: Block, weights?: Float64Array): void {
    if (block.kind === 'sparse') {
      const { indptr, indices, data, rows } = block;
      const values = wordsOf(data);
      const each = values.length / data.length || 1;
      for (let i = 0; i < rows; i++) {
        this.#word(indptr[i + 1] - indptr[i]);
        for (let at = indptr[i]; at < indptr[i + 1]; at++) this.#word(indices[at]);
        this.#all(values, indptr[i] * each, indptr[i + 1] * each);
      }
    } else {
      const { rows, cols, stride, data } = block;
      const values = wordsOf(data);
      const each = values.length / data.length || 1;
      if (stride === cols) this.#all(values, 0, rows * cols * each);
      else for (let i = 0; i < rows; i++) this.#all(values, i * stride * each, (i * stride + cols) * each);
    }
    if (!weights) return;
    this.#weights ??= new RowFingerprint();
    this.#weights.#all(wordsOf(weights), 0, 2 * block.rows);
  }

  /** 32 hexadecimal digits. */
  value(): string {
    let mixed = this.#words ^ (this.#weights?.seed() ?? 0);
    const lanes = this.#lanes.map((lane) => {
      mixed = finish(mixed ^ lane);
      return mixed;
    });
    return [...lanes].map((lane, i) => hex(finish(lane ^ lanes[(i + 1) % 4]))).join('');
  }

  /** 32 of its bits, as a number. */
  seed(): number {
    return Number.parseInt(this.value().slice(0, 8), 16);
  }

  #word(word: number): void {
    const lane = this.#words++ & 3;
    this.#lanes[lane] = step(this.#lanes[lane], word, FACTORS[lane]);
  }

  #all(words: ArrayLike<number>, from: number, to: number): void {
    let at = from;
    while (at < to && this.#words & 3) this.#word(words[at++]);
    let [a, b, c, d] = this.#lanes;
    const end = to - ((to - at) & 3);
    this.#words += end - at;
    for (; at < end; at += 4) {
      a = step(a, words[at], FACTORS[0]);
      b = step(b, words[at + 1], FACTORS[1]);
      c = step(c, words[at + 2], FACTORS[2]);
      d = step(d, words[at + 3], FACTORS[3]);
    }
    this.#lanes.set([a, b, c, d]);
    while (at < to) this.#word(words[at++]);
  }
}

function step(lane: number, word: number, factor: number): number {
  const h = lane ^ Math.imul(word, factor);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0x561ccd1b) | 0;
}

function finish(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** The 32-bit words of floats; whole numbers, which have at most 32 bits, unchanged. */
function wordsOf(data: Block['data']): ArrayLike<number> {
  if (!isFloatArray(data)) return data as ArrayLike<number>;
  return new Int32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
}
