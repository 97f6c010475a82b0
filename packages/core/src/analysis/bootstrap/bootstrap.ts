import { BOOTSTRAP_CHOICES, type BootstrapChoices } from '../../bootstrap-options.js';
import type { Data } from '../../data/open-source.js';
import { DataError } from '../../errors.js';
import type { Stability } from '../../model/stability.js';
import { Moments } from '../../moments.js';
import { checkOptions, type PcaOptions } from '../../options.js';
import { pca } from '../../pca.js';

/** Options of `bootstrap`: how the data are scaled and fitted, as for `pca`, and what is drawn. */
export type BootstrapOptions = Omit<PcaOptions, 'bootstrap' | 'whiten'> & BootstrapChoices;

/**
 * How much the components would differ in another sample of the same size: intervals of variances, ratios, loadings and
 * correlations, angles of axes and subspaces, and how likely neighbours are to exchange places. The same as
 * `(await pca(data, { ...options, bootstrap: 200 })).stability`.
 */
export async function bootstrap(data: Data, options: BootstrapOptions = {}): Promise<Stability> {
  if (data instanceof Moments) {
    throw new DataError(
      'BAD_DATA',
      'A bootstrap draws rows, and the rows of moments are gone. Pass the rows themselves.',
    );
  }
  const entries = Object.entries(options);
  const isChoice = ([name]: [string, unknown]): boolean => Object.hasOwn(BOOTSTRAP_CHOICES, name) && name !== 'seed';
  const chosen: BootstrapChoices = Object.fromEntries(entries.filter(isChoice));
  const rest: PcaOptions = Object.fromEntries(entries.filter((entry) => !isChoice(entry)));
  checkOptions(rest, Object.keys(BOOTSTRAP_CHOICES));
  return (await pca(data, { ...rest, bootstrap: chosen })).stability as Stability;
}
