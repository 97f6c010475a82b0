import { candidateBytes, type Family, sizesUpTo, usualSearch, type VectorCandidate } from './candidates.js';
import { meanOf } from './interval.js';
import type { VectorSearch, VectorStore } from './query/query-model.js';
import type { ReduceSettings } from './reduce-options.js';

/** A candidate whose recall was measured: shares of neighbours found, one per query. */
export interface Trial {
  readonly candidate: VectorCandidate;
  readonly shares: readonly number[];
  /** The same after re-ranking. */
  readonly reranked: readonly number[];
}

/** How scores are made of components, for stores other than bits. */
export interface Variant {
  readonly center: boolean;
  readonly whiten: boolean;
  readonly search: VectorSearch;
}

/** The widths that are tried. */
export interface Widths {
  readonly d: number;
  /** The most components. */
  readonly most: number;
}

/** A smaller number of bytes counts as a gain only if it is smaller by this factor, because a model has to be kept and applied. */
const GAIN = 1.15;
/** A search by another metric must be better by this share of the neighbours. */
const SEARCH_GAIN = 0.005;

/** The ways to center, whiten and search that the options leave open, the usual one first. `fitted` says whether the fit was centred. */
export function variants({ metric, center, whiten }: ReduceSettings, fitted: boolean): Variant[] {
  const centers = metric === 'cosine' && center === 'auto' && fitted ? [true, false] : [fitted];
  const plain = centers.flatMap((centered) => {
    // Without a mean to subtract, vectors of length 1 have the same order by angle as by inner product, until they are reduced.
    const others: VectorSearch[] = metric !== 'cosine' ? [] : centered ? ['l2'] : ['dot'];
    return [metric as VectorSearch, ...others].map((search) => ({ center: centered, whiten: whiten === true, search }));
  });
  return whiten === 'auto' ? [...plain, { ...plain[0], whiten: true }] : plain;
}

/** The variant with the best recall. An earlier one is taken if a later one is hardly better. */
export function bestVariant(list: readonly Variant[], recalls: readonly number[]): Variant {
  let best = 0;
  for (let i = 1; i < list.length; i++) if (recalls[i] > recalls[best] + SEARCH_GAIN) best = i;
  return list[best];
}

/** The types that are tried. */
export function storesOf({ store }: ReduceSettings): readonly VectorStore[] {
  return store === 'auto' ? ['float16', 'int8', 'bit'] : [store];
}

/** The candidates of the first measurement: every family at every size of the grid, and codes of all numbers without PCA. */
export function firstCandidates(
  settings: ReduceSettings,
  variantOf: (store: VectorStore) => Variant,
  fitted: boolean,
  { d, most }: Widths,
): VectorCandidate[] {
  const { metric, k } = settings;
  const stores = storesOf(settings);
  const pca = (each: VectorStore): Family =>
    each === 'bit'
      ? { reduction: 'pca', store: each, center: fitted, whiten: false, search: 'hamming' }
      : { reduction: 'pca', store: each, ...variantOf(each) };
  const first = (each: VectorStore): Family => ({
    ...{ reduction: 'first', store: each, center: false, whiten: false },
    search: usualSearch(metric, each),
  });
  const at = (family: Family, sizes: readonly number[]): VectorCandidate[] =>
    sizes.map((size) => ({ ...family, k: size }));
  const found = stores.flatMap((each) => [
    ...at(pca(each), k === undefined ? sizesUpTo(most) : [k]),
    ...at(first(each), k === undefined ? sizesUpTo(d) : [k]),
  ]);
  const whole = (['int8', 'bit'] as const).filter((each) => k !== undefined || !stores.includes(each));
  return [...found, ...whole.flatMap((each) => at(first(each), k === d && stores.includes(each) ? [] : [d]))];
}

/** Returns true if the candidate may be recommended: its store, and its k if it was given. */
function allowed({ store, k }: VectorCandidate, settings: ReduceSettings): boolean {
  return (settings.store === 'auto' || store === settings.store) && (settings.k === undefined || k === settings.k);
}

/** The 95 % quantile of the normal distribution. */
const MARGIN = 1.645;

/** Returns true if the one-sided 95 % limit of the mean recall is the wanted one, so that recall seldom falls below it on other queries. */
function passes({ shares }: Trial, recall: number): boolean {
  const { mean, error } = meanOf(shares);
  return mean - MARGIN * error >= recall || mean === 1;
}

const sameFamily = (a: Family, b: Family): boolean =>
  a.reduction === b.reduction &&
  a.store === b.store &&
  a.search === b.search &&
  a.center === b.center &&
  a.whiten === b.whiten;

/**
 * Candidates between the sizes at which families reach the wanted recall and the sizes before, to measure next with more queries. Families that
 * need more bytes than others are left out.
 */
export function refinements(trials: readonly Trial[], settings: ReduceSettings, d: number): VectorCandidate[] {
  const brackets: { family: VectorCandidate; low: number; high: number; next: number }[] = [];
  for (const { candidate } of trials) {
    if (brackets.some(({ family }) => sameFamily(family, candidate)) || !allowed(candidate, settings)) continue;
    const own = trials.filter((each) => sameFamily(each.candidate, candidate));
    own.sort((a, b) => a.candidate.k - b.candidate.k);
    let at = own.findIndex((each) => passes(each, settings.recall));
    const last = own[own.length - 1];
    const { mean, error } = meanOf(last.shares);
    if (at < 0 && mean + 2 * error >= settings.recall) at = own.length - 1;
    if (at < 0) continue;
    const high = own[at].candidate.k;
    brackets.push({
      family: candidate,
      low: own[at - 1]?.candidate.k ?? 0,
      high,
      next: own[at + 1]?.candidate.k ?? high,
    });
  }
  const least = Math.min(...brackets.map(({ family, high }) => candidateBytes({ ...family, k: high })));
  return brackets
    .filter(({ family, low }) => candidateBytes({ ...family, k: low + 1 }) < GAIN * least)
    .flatMap(({ family, low, high, next }) => {
      const unit = family.store === 'bit' ? 8 : d <= 128 ? 1 : d <= 512 ? 4 : 8;
      const step = unit * Math.max(1, Math.ceil((high - low) / 8 / unit));
      const sizes = new Set([high, next]);
      for (let k = low + step; k < high; k += step) sizes.add(k);
      return [...sizes].map((k) => ({ ...family, k }));
    });
}

/**
 * The candidate with the fewest bytes that keeps the recall. One without components is taken if it needs hardly more. Undefined if none keeps
 * the recall.
 */
export function choose(trials: readonly Trial[], settings: ReduceSettings): VectorCandidate | undefined {
  const good = trials.filter((trial) => allowed(trial.candidate, settings) && passes(trial, settings.recall));
  const byBytes = (list: readonly Trial[]): VectorCandidate | undefined =>
    list.map(({ candidate }) => candidate).sort((a, b) => candidateBytes(a) - candidateBytes(b) || a.k - b.k)[0];
  const best = byBytes(good);
  const plain = byBytes(good.filter(({ candidate }) => candidate.reduction === 'first'));
  return best && plain && candidateBytes(plain) <= GAIN * candidateBytes(best) ? plain : best;
}

/** The allowed candidate with the best recall, if none is good enough. */
export function nearestToWanted(trials: readonly Trial[], settings: ReduceSettings): VectorCandidate {
  const list = trials.filter(({ candidate }) => allowed(candidate, settings));
  return list.reduce((a, b) => (meanOf(b.shares).mean > meanOf(a.shares).mean ? b : a)).candidate;
}
