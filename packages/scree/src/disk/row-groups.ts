import type { NumberArray } from '@scree/core';

/** Rows gathered into columns until there are enough for a group, which formats that store columns write at once. */
export class RowGroups {
  readonly #cols: number;
  readonly #height: number;
  readonly #write: (columns: readonly (Float32Array | Float64Array)[], rows: number) => Promise<void>;
  readonly #columns: (Float32Array | Float64Array)[];
  #filled = 0;

  /** `bytes` is about how large a group may become. */
  constructor(
    cols: number,
    single: boolean,
    bytes: number,
    write: (columns: readonly (Float32Array | Float64Array)[], rows: number) => Promise<void>,
  ) {
    this.#cols = cols;
    this.#height = Math.max(64, Math.min(1 << 17, Math.floor(bytes / (cols * (single ? 4 : 8)))));
    this.#write = write;
    this.#columns = Array.from({ length: cols }, () =>
      single ? new Float32Array(this.#height) : new Float64Array(this.#height),
    );
  }

  async add(data: NumberArray, rows: number): Promise<void> {
    const cols = this.#cols;
    for (let from = 0; from < rows; ) {
      const some = Math.min(rows - from, this.#height - this.#filled);
      for (let j = 0; j < cols; j++) {
        const column = this.#columns[j];
        for (let i = 0, at = from * cols + j; i < some; i++, at += cols) column[this.#filled + i] = data[at];
      }
      this.#filled += some;
      from += some;
      if (this.#filled === this.#height) await this.flush();
    }
  }

  /** Writes what has been gathered. */
  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    const rows = this.#filled;
    this.#filled = 0;
    await this.#write(
      this.#columns.map((column) => column.subarray(0, rows)),
      rows,
    );
  }
}
