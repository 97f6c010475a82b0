/**
 * Counts different names without keeping them: their 53-bit hashes are in a table of a fixed size. Two names have the same hash with a
 * probability of 1e-16.
 */
export class DistinctNames {
  readonly #most: number;
  /** Open addressing; 0 is a free slot. At most half of the slots are used. */
  #slots = new Float64Array(0);
  size = 0;

  /** Counts up to `most` different names. */
  constructor(most: number) {
    this.#most = most;
  }

  add(name: string): void {
    if (this.size >= this.#most) return;
    if (this.#slots.length === 0) this.#slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * this.#most)));
    const hash = hashOf(name);
    const last = this.#slots.length - 1;
    let slot = hash % this.#slots.length;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) & last;
    if (this.#slots[slot] === hash) return;
    this.#slots[slot] = hash;
    this.size++;
  }
}

/** A hash of 53 bits, never 0: two FNV-1a hashes with different starts. */
function hashOf(name: string): number {
  let [high, low] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code ^ (high >>> 15), 0x85ebca6b);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0) + 1;
}
