/** Labels as codes: `names[codes[i]]` is the label of row i. */
export interface Labels {
  readonly names: readonly string[];
  /** −1 for a row without a label. −2 if the label came after the maximum number of labels, or the memory for labels was full. */
  readonly codes: Int16Array | Int32Array;
  /** The values, if the column holds numbers. A missing value is NaN. */
  readonly numbers: Float64Array | undefined;
}

/** How the labels of rows are read. */
export interface LabelOptions {
  /** The column: that of the rows' names, or that of their colours. Default `'name'`. */
  readonly of?: 'name' | 'color' | undefined;
  /** Most different labels to keep; 1000 when left out. */
  readonly most?: number | undefined;
  /** Reads only every `every`-th row, beginning with row 0. */
  readonly every?: number | undefined;
}

/** Bytes of a label besides its characters, which take up to two bytes each. */
const HEAD = 64;

/**
 * Reads labels into codes. Memory is bounded by the rows (two or four bytes each, eight more for numbers), and by `bytes` for the labels
 * themselves: others that come after those are counted with those after the most.
 */
export async function collectLabels(
  texts: AsyncIterable<readonly (string | null)[]>,
  numeric: boolean,
  { most = 1000, every = 1, bytes }: LabelOptions & { readonly bytes: number },
): Promise<Labels> {
  const known = new Map<string, number>();
  let taken = 0;
  const codes = new GrowingArray<Int16Array | Int32Array>((length) =>
    most < 2 ** 15 ? new Int16Array(length) : new Int32Array(length),
  );
  const numbers = new GrowingArray((length) => new Float64Array(length));
  let row = 0;
  for await (const part of texts) {
    for (const name of part) {
      if (row++ % every !== 0) continue;
      if (numeric) numbers.push(name === null ? Number.NaN : Number(name));
      if (name === null) codes.push(-1);
      else {
        let code = known.get(name);
        if (code === undefined && known.size < most && taken < bytes) {
          taken += HEAD + 2 * name.length;
          code = known.size;
          known.set(name, code);
        }
        codes.push(code ?? -2);
      }
    }
  }
  return { names: [...known.keys()], codes: codes.take(), numbers: numeric ? numbers.take() : undefined };
}

type Numbers = Int16Array | Int32Array | Float64Array;

/** An array that doubles as it fills. */
class GrowingArray<Kind extends Numbers> {
  readonly #make: (length: number) => Kind;
  #values: Kind;
  #length = 0;

  constructor(make: (length: number) => Kind) {
    this.#make = make;
    this.#values = make(1024);
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const more = this.#make(2 * this.#length);
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.#length++] = value;
  }

  take(): Kind {
    return this.#values.slice(0, this.#length) as Kind;
  }
}
