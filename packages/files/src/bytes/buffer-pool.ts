/** Buffers of about one size are of the same size, so that one can stand for the other. */
const UNIT = 1 << 16;

/**
 * Large buffers that are used again, by one reading of a file after the other. The garbage collector would free them too late: the
 * next reading would take as much memory once more.
 */
export class BufferPool {
  readonly #shared: boolean;
  readonly #free: ArrayBufferLike[] = [];

  /** With `shared`, threads may write into the buffers. */
  constructor(shared = false) {
    this.#shared = shared;
  }

  /** A buffer of so many bytes or more, with what it was last used for. */
  take(bytes: number): ArrayBufferLike {
    const free = this.#free;
    let best = -1;
    for (let i = 0; i < free.length; i++) {
      const fits = free[i].byteLength >= bytes;
      if (fits && (best < 0 || free[i].byteLength < free[best].byteLength)) best = i;
    }
    if (best >= 0) return free.splice(best, 1)[0];
    // Buffers that were too small are not kept beside larger ones.
    free.pop();
    const size = Math.ceil(bytes / UNIT) * UNIT;
    return this.#shared ? new SharedArrayBuffer(size) : new ArrayBuffer(size);
  }

  give(...buffers: ArrayBufferLike[]): void {
    for (const buffer of buffers) if (buffer.byteLength > 0) this.#free.push(buffer);
  }
}
