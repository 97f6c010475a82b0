/**
 * Reads one item ahead: while the caller works on one, the next is read into the other of two buffers. An item is valid
 * until the caller requests the next.
 */
export async function* readAhead<Item>(
  next: (turn: 0 | 1) => Promise<Item | undefined>,
): AsyncGenerator<Item, void, void> {
  let turn: 0 | 1 = 0;
  let coming = next(turn);
  try {
    for (;;) {
      const item = await coming;
      if (item === undefined) return;
      turn = turn === 0 ? 1 : 0;
      coming = next(turn);
      // The error is thrown when the item is awaited, not before.
      coming.catch(() => {});
      yield item;
    }
  } finally {
    // A caller that stops early may close the file, but not while it is being read.
    await coming.catch(() => {});
  }
}

/** Buffers of one size that are used again: passes over a file need not allocate each time. */
export class Pool {
  readonly #bytes: number;
  readonly #free: ArrayBuffer[] = [];

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  take(): ArrayBuffer {
    return this.#free.pop() ?? new ArrayBuffer(this.#bytes);
  }

  give(...buffers: ArrayBuffer[]): void {
    this.#free.push(...buffers);
  }
}
