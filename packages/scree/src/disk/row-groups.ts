import type { NumberArray } from '@scree/core';

/** Collects rows as columns, and passes them on in row groups: formats that store columns write a group at once. */
export class RowGroups {
  readonly #cols: number;
  readonly #height: number;
  readonly #write: (columns: readonly (Float32Array | Float64Array)[], rows: number) => Promise<void>;
  readonly #columns: (Float32Array | Float64Array)[];
  #filled = 0;

  /** `bytes` is the approximate size of a group. */
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

  /** Writes the rows that have been collected. */
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
