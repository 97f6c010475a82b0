import { type Data, DataError, Moments, type Stability } from '@scree/core';
import { checkObject } from '@scree/core/pipeline';
import { checkFitQuestions, type FitQuestions, fitAndAsk } from '../fit-and-ask.js';
import { BOOTSTRAP_CHOICES, type BootstrapChoices } from './bootstrap-options.js';

/** Options of `bootstrap`: those of `pca`, and how replicates are drawn. */
export type BootstrapOptions = Omit<FitQuestions, 'bootstrap' | 'whiten'> & BootstrapChoices;

/**
 * Estimates how much the components would differ in another sample of the same size: intervals of variances, ratios, loadings and
 * correlations, angles of axes and subspaces, and how often neighbouring components exchange places. The same as `(await analyze(data,
 * { ...options, bootstrap: 200 })).model.stability`.
 */
export async function bootstrap(data: Data, options: BootstrapOptions = {}): Promise<Stability> {
  if (data instanceof Moments) {
    throw new DataError(
      'BAD_DATA',
      'A bootstrap draws rows, and the rows of moments are gone. Pass the rows themselves.',
    );
  }
  checkObject(options);
  const entries = Object.entries(options);
  const isChoice = ([name]: [string, unknown]): boolean => Object.hasOwn(BOOTSTRAP_CHOICES, name) && name !== 'seed';
  const chosen: BootstrapChoices = Object.fromEntries(entries.filter(isChoice));
  const rest: FitQuestions = Object.fromEntries(entries.filter((entry) => !isChoice(entry)));
  checkFitQuestions(rest, Object.keys(BOOTSTRAP_CHOICES));
  return (await fitAndAsk(data, { ...rest, bootstrap: chosen })).model.stability as Stability;
}
