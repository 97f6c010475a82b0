import type { OptionCheck } from '../../base/control.js';

/** The methods that fit a model to the observed values and fill in the others: one file each, loaded by `fill-by-model.ts`. */
export const FILL_METHODS = ['em', 'iterative', 'nipals'] as const;
/** The name of a method that predicts missing values. */
export type FillMethodName = (typeof FILL_METHODS)[number];

/** What to do with rows that miss values: stop, leave them out, or fill the values in. */
export type MissingChoice = 'error' | 'drop' | 'mean' | FillMethodName;

/** A method that fills in missing values, with its options. */
export interface FillOptions {
  /**
   * `'iterative'`: regularised iterative PCA (Josse & Husson 2012). `'em'`: maximum likelihood of probabilistic PCA. `'nipals'`: NIPALS
   * on the observed values (Wold 1966).
   */
  readonly method: FillMethodName;
  /** Number of components that predict missing values. Default: the option `k` of the fit if it is a whole number, otherwise 2. */
  readonly k?: number | undefined;
  /** Relative change of the predictions at which the iteration stops. Default 1e-6. */
  readonly tolerance?: number | undefined;
  /** Most iterations. Default 1000. A fit that needs more has the warning `NOT_CONVERGED`. */
  readonly iterations?: number | undefined;
}

const RULES: readonly string[] = ['error', 'drop', 'mean', ...FILL_METHODS];

/** The values of the option `missing`. */
export const MISSING_OPTION: OptionCheck = {
  must: "'error', 'drop', 'mean', 'iterative', 'em', 'nipals' or { method, k }",
  test: (v) => (typeof v === 'string' ? RULES.includes(v) : isFillOptions(v)),
};

function isFillOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { method, k, tolerance, iterations, ...others } = value as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    (FILL_METHODS as readonly unknown[]).includes(method) &&
    [k, iterations].every((count) => count === undefined || (Number.isSafeInteger(count) && (count as number) >= 1)) &&
    (tolerance === undefined || (typeof tolerance === 'number' && tolerance >= 1e-14 && tolerance <= 0.1))
  );
}

/** The options of the method that fills values in; undefined if `missing` is another rule. */
export function fillOptionsOf(missing: MissingChoice | FillOptions): FillOptions | undefined {
  if (typeof missing === 'object') return missing;
  return (FILL_METHODS as readonly string[]).includes(missing) ? { method: missing as FillMethodName } : undefined;
}
