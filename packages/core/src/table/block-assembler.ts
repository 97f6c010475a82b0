import type { DenseBatch, Text } from './table.js';

/** Bytes of a block of rows: enough to amortise a pass, few enough that two stay in the processor's cache. */
const BLOCK_BYTES = 8 << 20;
/** Rows worth a pass even if they are wide: merging the sums of a block costs d². */
const WIDE_ROWS = 1024;

/** Number of rows of a block, for rows of `rowBytes` bytes and this much memory. */
export function blockHeight(
  rowBytes: number,
  memory: number,
  rows = Number.POSITIVE_INFINITY,
  bytes = BLOCK_BYTES,
): number {
  const most = Math.max(1 << 16, Math.floor(memory / 16));
  const wanted = Math.max(Math.min(bytes, most), Math.min(most, WIDE_ROWS * rowBytes));
  return Math.max(1, Math.min(Math.max(1, rows), Math.floor(wanted / Math.max(1, rowBytes))));
}

/** Memory of a short text. It limits the rows of a batch with texts before they are read. */
export const TEXT_BYTES = 64;
/** Texts of a batch take this part of the memory, and at most this many bytes: objects that live long leave V8 with more garbage. */
const [TEXT_SHARE, MAX_TEXT_BYTES] = [256, 4 << 20];
/** Memory of a text besides its characters. */
const TEXT_HEAD = 32;

/**
 * Counts the texts of a batch against the memory. A batch of long texts ends early, because several batches are in memory at once,
 * and twice if a thread sends them.
 */
export class TextBudget {
  readonly #most: number;
  #taken = 0;

  constructor(memory: number) {
    this.#most = Math.max(1 << 16, Math.min(MAX_TEXT_BYTES, Math.floor(memory / TEXT_SHARE)));
  }

  add(text: Text): void {
    if (text !== null) this.#taken += TEXT_HEAD + text.length;
  }

  /** True if the batch must end. */
  get spent(): boolean {
    return this.#taken >= this.#most;
  }

  /** Starts the next batch. */
  renew(): void {
    this.#taken = 0;
  }
}

/** The size of the blocks that a reader fills. */
export interface AssemblerOptions {
  readonly cols: number;
  /** Columns of text. */
  readonly texts?: number;
  readonly memory: number;
  /** Rows of the table, or a bound of them. */
  readonly rows?: number | undefined;
  /** Type of the numbers; float64 if left out. */
  readonly Values?: Float32ArrayConstructor | Float64ArrayConstructor;
  /** Gives buffers of so many bytes or more, which were used before or are shared with threads. */
  readonly allocate?: (bytes: number) => ArrayBufferLike;
}

/**
 * Collects rows into blocks. The reader writes numbers into `data`, row `rows` being the next one, and texts with `addText`; then it
 * counts the rows and takes the batch when it is full. There are two buffers in turn, because a block may be in use while the next is filled.
 */
export class BlockAssembler {
  readonly cols: number;
  /** Most rows of a block. */
  readonly height: number;
  /** Rows in the block that is being filled. */
  rows = 0;
  /** One list per column of text. */
  texts: Text[][];
  readonly budget: TextBudget;
  readonly #buffers: readonly (Float32Array | Float64Array)[];
  #turn = 0;

  constructor({ cols, texts = 0, memory, rows, Values = Float64Array, allocate }: AssemblerOptions) {
    this.cols = cols;
    this.height = blockHeight(Math.max(1, cols) * Values.BYTES_PER_ELEMENT + TEXT_BYTES * texts, memory, rows);
    this.budget = new TextBudget(memory);
    this.texts = Array.from({ length: texts }, () => []);
    const length = this.height * cols;
    const buffer = (): Float32Array | Float64Array => {
      const room = allocate?.(length * Values.BYTES_PER_ELEMENT) ?? new ArrayBuffer(length * Values.BYTES_PER_ELEMENT);
      return Values === Float32Array ? new Float32Array(room, 0, length) : new Float64Array(room, 0, length);
    };
    this.#buffers = [buffer(), buffer()];
  }

  /** The numbers of the block that is being filled, row after row. */
  get data(): Float32Array | Float64Array {
    return this.#buffers[this.#turn];
  }

  /** True if the batch must be taken. */
  get isFull(): boolean {
    return this.rows === this.height || this.budget.spent;
  }

  /** The buffers, for another use when no block is needed any more. */
  get buffers(): readonly ArrayBufferLike[] {
    return this.#buffers.map(({ buffer }) => buffer);
  }

  /** Adds the text of the next row in one of the columns of text. */
  addText(column: number, text: Text): void {
    this.texts[column].push(text);
    this.budget.add(text);
  }

  /** The rows that were collected. The next ones go into the other buffer. */
  take(): DenseBatch {
    const { rows, cols, data, texts } = this;
    this.#turn = 1 - this.#turn;
    this.rows = 0;
    this.texts = texts.map(() => []);
    this.budget.renew();
    return { block: { kind: 'dense', rows, cols, stride: cols, data }, texts };
  }
}
