import { OptionError } from '@scree/core';
import {
  describeValue,
  type FillMethodName,
  type FillOptions,
  fillOptionsOf,
  type MissingChoice,
} from '@scree/core/pipeline';

/** A method that predicts missing values, with the options of `analyze`. */
export interface PredictOptions extends Omit<FillOptions, 'k'> {
  /** Components that predict missing values. Default `'auto'`: generalised cross-validation over the observed values. */
  readonly k?: number | 'auto' | undefined;
  /**
   * Draws of multiple imputation: their spread is added to the intervals and angles of the bootstrap. Default: 20 for tables of up to
   * 100,000 numbers, and none for larger ones. `nipals` has no draws.
   */
  readonly draws?: number | undefined;
}

/** What `analyze` does with missing values. */
export type AnalyzeMissing = MissingChoice | PredictOptions;

/** Returns the options of a method that predicts values; undefined for another rule. Throws if an option is invalid. */
export function predictOptionsOf(missing: AnalyzeMissing | undefined): PredictOptions | undefined {
  if (missing === undefined) return undefined;
  if (typeof missing === 'string') {
    const found = fillOptionsOf(missing);
    return found && { method: found.method };
  }
  const { draws } = missing;
  if (draws !== undefined && !(Number.isSafeInteger(draws) && draws >= 0 && draws <= 1000)) {
    throw new OptionError(
      'BAD_OPTION',
      `missing.draws is ${describeValue(draws)}; it must be a whole number from 0 to 1000.`,
      { option: 'missing', value: draws },
    );
  }
  if (draws && missing.method === 'nipals') {
    throw new OptionError(
      'BAD_OPTION',
      "missing.draws needs a model with noise, and 'nipals' has none. Use method: 'iterative' or 'em', or leave draws out.",
      { option: 'missing', value: draws },
    );
  }
  return missing;
}

/** The options of core for k components. */
export function fillOptionsFor(
  { method, tolerance, iterations }: PredictOptions,
  k: number,
): FillOptions & { method: FillMethodName } {
  return {
    method,
    k,
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(iterations === undefined ? {} : { iterations }),
  };
}
