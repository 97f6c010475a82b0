import type { NumberArray } from '@scree/core';
import type { OutputLabels } from './write-file.js';

/** Writes the rows of a group: one array per column of numbers, and one list per column of text. */
type WriteGroup = (
  columns: readonly (Float32Array | Float64Array)[],
  texts: readonly OutputLabels[],
  rows: number,
) => Promise<void>;

/** Characters of texts in a group. */
const GROUP_TEXT = 4 << 20;

/** Collects rows as columns, and passes them on in row groups: formats that store columns write a group at once. */
export class RowGroups {
  readonly #cols: number;
  readonly #height: number;
  readonly #write: WriteGroup;
  readonly #columns: (Float32Array | Float64Array)[];
  #texts: (string | null)[][];
  #characters = 0;
  #filled = 0;

  /** `texts` is the number of columns of text, and `bytes` the approximate size of a group. */
  constructor(cols: number, texts: number, single: boolean, bytes: number, write: WriteGroup) {
    this.#cols = cols;
    this.#height = Math.max(64, Math.min(1 << 17, Math.floor(bytes / (cols * (single ? 4 : 8) + 16 * texts))));
    this.#write = write;
    this.#columns = Array.from({ length: cols }, () =>
      single ? new Float32Array(this.#height) : new Float64Array(this.#height),
    );
    this.#texts = Array.from({ length: texts }, () => []);
  }

  async add(data: NumberArray, rows: number, texts: readonly OutputLabels[]): Promise<void> {
    const cols = this.#cols;
    for (let from = 0; from < rows; ) {
      const some = Math.min(rows - from, this.#height - this.#filled);
      for (let j = 0; j < cols; j++) {
        const column = this.#columns[j];
        for (let i = 0, at = from * cols + j; i < some; i++, at += cols) column[this.#filled + i] = data[at];
      }
      this.#texts.forEach((own, t) => {
        for (let i = from; i < from + some; i++) {
          const text = texts[t]?.[i] ?? null;
          own.push(text);
          this.#characters += text?.length ?? 0;
        }
      });
      this.#filled += some;
      from += some;
      if (this.#filled === this.#height || this.#characters > GROUP_TEXT) await this.flush();
    }
  }

  /** Writes the rows that have been collected. */
  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    const rows = this.#filled;
    const texts = this.#texts;
    this.#filled = 0;
    this.#characters = 0;
    this.#texts = texts.map(() => []);
    await this.#write(
      this.#columns.map((column) => column.subarray(0, rows)),
      texts,
      rows,
    );
  }
}
