import { OptionError } from '../../errors.js';

export const SKETCH_RULES = ['incremental', 'frequent-directions'] as const;
/** The name of a sketching rule. */
export type SketchRule = (typeof SKETCH_RULES)[number];

/** The sketch of rows that are read once. */
export interface SketchOptions {
  /**
   * The sketching rule: `'incremental'` SVD (default), or `'frequent-directions'`, whose error is bounded before the rows are
   * read.
   */
  readonly rule?: SketchRule | undefined;
  /** Rows of the sketch. Default 2k + 10. */
  readonly size?: number | undefined;
}

export function isSketchOptions(value: unknown): value is SketchOptions {
  if (typeof value !== 'object' || value === null) return false;
  const { rule, size, ...others } = value as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    (rule === undefined || SKETCH_RULES.includes(rule as SketchRule)) &&
    (size === undefined || (Number.isSafeInteger(size) && (size as number) >= 2))
  );
}

/** The number of rows of a sketch: `given`, or by default 2k + 10, or d if all components are wanted. */
export function sketchSize(k: number | 'all' | undefined, cols: number, given: number | undefined): number {
  if (k === 'all') return given ?? cols;
  const count = k === undefined || k < 1 ? undefined : k;
  const usual = 2 * (count ?? 10) + 10;
  const size = given ?? usual;
  if (count === undefined || size >= count) return size;
  throw new OptionError(
    'BAD_OPTION',
    `A sketch of ${size} rows cannot hold ${count} components. Use a size of at least ${count}; 2k + 10 = ${usual} is usual.`,
    { option: 'size', value: size, expected: count },
  );
}
