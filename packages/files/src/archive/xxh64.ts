/**
 * XXH64, the checksum of zstd frames, with seed 0 (xxHash specification, version 0.1.1). A 64-bit number is two
 * unsigned 32-bit halves here: BigInt is twenty times slower.
 */

type Half = number;

/** The five primes, each as its high and low half. */
const [P1_HIGH, P1_LOW] = [0x9e3779b1, 0x85ebca87];
const [P2_HIGH, P2_LOW] = [0xc2b2ae3d, 0x27d4eb4f];
const [P3_HIGH, P3_LOW] = [0x165667b1, 0x9e3779f9];
const [P4_HIGH, P4_LOW] = [0x85ebca77, 0xc2b2ae63];
const [P5_HIGH, P5_LOW] = [0x27d4eb2f, 0x165667c5];

/** Bytes that are mixed in at once: eight for each of the four accumulators. */
const STRIPE = 32;

/** The halves of the last result of `multiply`, `add` and `rotate`: returning a pair would allocate. */
let high: Half = 0;
let low: Half = 0;

function multiply(aHigh: Half, aLow: Half, bHigh: Half, bLow: Half): void {
  high = (upper(aLow, bLow) + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) >>> 0;
  low = Math.imul(aLow, bLow) >>> 0;
}

/** The upper half of the product of two halves, put together from products of 16-bit digits. */
function upper(a: Half, b: Half): Half {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = Math.imul(a1, b0) >>> 0;
  const other = (Math.imul(a0, b1) >>> 0) + (Math.imul(a0, b0) >>> 16) + (middle & 0xffff);
  return (Math.imul(a1, b1) + (middle >>> 16) + Math.floor(other / 0x10000)) >>> 0;
}

function add(aHigh: Half, aLow: Half, bHigh: Half, bLow: Half): void {
  const sum = aLow + bLow;
  low = sum >>> 0;
  high = (aHigh + bHigh + (sum > 0xffffffff ? 1 : 0)) >>> 0;
}

function rotate(aHigh: Half, aLow: Half, bits: number): void {
  const [left, right] = bits < 32 ? [aHigh, aLow] : [aLow, aHigh];
  const by = bits % 32;
  high = ((left << by) | (right >>> (32 - by))) >>> 0;
  low = ((right << by) | (left >>> (32 - by))) >>> 0;
}

/** A step of an accumulator: (sum + lane · P2) rotated by 31 bits, times P1. */
function round(sumHigh: Half, sumLow: Half, laneHigh: Half, laneLow: Half): void {
  multiply(laneHigh, laneLow, P2_HIGH, P2_LOW);
  add(sumHigh, sumLow, high, low);
  rotate(high, low, 31);
  multiply(high, low, P1_HIGH, P1_LOW);
}

/** The checksum of bytes that come in parts. */
export class Xxh64 {
  /** High and low half of each accumulator. */
  readonly #sums = Uint32Array.of(0, 0, P2_HIGH, P2_LOW, 0, 0, 0, 0);
  readonly #rest = new Uint8Array(STRIPE);
  #waiting = 0;
  #length = 0;

  constructor() {
    add(P1_HIGH, P1_LOW, P2_HIGH, P2_LOW);
    this.#sums.set([high, low]);
    add(~P1_HIGH >>> 0, ~P1_LOW >>> 0, 0, 1);
    this.#sums.set([high, low], 6);
  }

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let at = 0;
    if (this.#waiting > 0) {
      at = Math.min(STRIPE - this.#waiting, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#waiting);
      this.#waiting += at;
      if (this.#waiting < STRIPE) return;
      this.#mix(this.#rest, 0);
    }
    for (; at + STRIPE <= bytes.length; at += STRIPE) this.#mix(bytes, at);
    this.#rest.set(bytes.subarray(at));
    this.#waiting = bytes.length - at;
  }

  /** The low 32 bits of the checksum of everything so far: zstd stores no more of it. */
  low32(): number {
    const sums = this.#sums;
    if (this.#length >= STRIPE) {
      let [sumHigh, sumLow] = [0, 0];
      for (const [lane, bits] of [1, 7, 12, 18].entries()) {
        rotate(sums[2 * lane], sums[2 * lane + 1], bits);
        add(sumHigh, sumLow, high, low);
        [sumHigh, sumLow] = [high, low];
      }
      for (let lane = 0; lane < 4; lane++) {
        round(0, 0, sums[2 * lane], sums[2 * lane + 1]);
        multiply((sumHigh ^ high) >>> 0, (sumLow ^ low) >>> 0, P1_HIGH, P1_LOW);
        add(high, low, P4_HIGH, P4_LOW);
        [sumHigh, sumLow] = [high, low];
      }
    } else [high, low] = [P5_HIGH, P5_LOW];
    add(high, low, Math.floor(this.#length / 2 ** 32), this.#length >>> 0);
    this.#mixRest();
    const shifted = (bits: number): void => {
      const [fromHigh, fromLow] = [high, low];
      high = bits < 32 ? (fromHigh ^ (fromHigh >>> bits)) >>> 0 : fromHigh;
      low =
        bits < 32
          ? (fromLow ^ ((fromLow >>> bits) | (fromHigh << (32 - bits)))) >>> 0
          : (fromLow ^ (fromHigh >>> (bits - 32))) >>> 0;
    };
    shifted(33);
    multiply(high, low, P2_HIGH, P2_LOW);
    shifted(29);
    multiply(high, low, P3_HIGH, P3_LOW);
    shifted(32);
    return low;
  }

  /** `round` for each accumulator, in variables of its own: this is where the time goes. */
  #mix(bytes: Uint8Array, from: number): void {
    const sums = this.#sums;
    for (let lane = 0; lane < 8; lane += 2) {
      const at = from + 4 * lane;
      const [laneHigh, laneLow] = [word(bytes, at + 4), word(bytes, at)];
      const added = sums[lane + 1] + (Math.imul(laneLow, P2_LOW) >>> 0);
      const carry = added > 0xffffffff ? 1 : 0;
      const sumLow = added | 0;
      const product = (upper(laneLow, P2_LOW) + Math.imul(laneHigh, P2_LOW) + Math.imul(laneLow, P2_HIGH)) | 0;
      const sumHigh = (sums[lane] + product + carry) | 0;
      const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
      const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
      sums[lane] = upper(turnedLow, P1_LOW) + Math.imul(turnedHigh, P1_LOW) + Math.imul(turnedLow, P1_HIGH);
      sums[lane + 1] = Math.imul(turnedLow, P1_LOW);
    }
  }

  /** The last bytes, fewer than a stripe: by eight, by four, and one by one. */
  #mixRest(): void {
    const rest = this.#rest;
    let at = 0;
    for (; at + 8 <= this.#waiting; at += 8) {
      const [sumHigh, sumLow] = [high, low];
      round(0, 0, word(rest, at + 4), word(rest, at));
      rotate((sumHigh ^ high) >>> 0, (sumLow ^ low) >>> 0, 27);
      multiply(high, low, P1_HIGH, P1_LOW);
      add(high, low, P4_HIGH, P4_LOW);
    }
    if (at + 4 <= this.#waiting) {
      const [sumHigh, sumLow] = [high, low];
      multiply(0, word(rest, at), P1_HIGH, P1_LOW);
      rotate((sumHigh ^ high) >>> 0, (sumLow ^ low) >>> 0, 23);
      multiply(high, low, P2_HIGH, P2_LOW);
      add(high, low, P3_HIGH, P3_LOW);
      at += 4;
    }
    for (; at < this.#waiting; at++) {
      const [sumHigh, sumLow] = [high, low];
      multiply(0, rest[at], P5_HIGH, P5_LOW);
      rotate((sumHigh ^ high) >>> 0, (sumLow ^ low) >>> 0, 11);
      multiply(high, low, P1_HIGH, P1_LOW);
    }
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
