import type { Model } from '@scree/core';
import { offsetsOf } from '@scree/core/data';
import { type Category, categories } from '../meaning/categories.js';
import { type ColumnContribution, columnContributions } from '../meaning/column-contributions.js';
import type { GroupLevel, Groups } from '../meaning/groups.js';
import { correlationPValue, eta2PValue, holm, vTestPValue } from '../meaning/significance.js';
import type { SupplementaryColumn } from '../meaning/supplementary-columns.js';
import { count, listed, percent } from './numbers.js';

/** What the description of a component may use besides the model. */
export interface ComponentFacts {
  /** What `columnContributions` says of the columns; computed from the model where it is left out. */
  readonly columns?: readonly ColumnContribution[];
  /** What `supplementary` says of other columns and of groups. */
  readonly supplementary?: {
    readonly columns: readonly SupplementaryColumn[];
    readonly groups: readonly Groups[];
  };
  /**
   * Intervals of the columns' correlations, k × d, from a bootstrap; those of `model.stability` where they are left out. A column
   * whose interval has 0 in it is not named.
   */
  readonly correlationIntervals?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
  /** Chance that a sentence names anything by chance alone. Default 0.05. */
  readonly level?: number;
  /** Most columns that are named on each side. Default 4. */
  readonly most?: number;
}

/**
 * One sentence per component that something can be said of: "PC1 (37 %): more flavanoids and phenols, less nonflavanoids;
 * separates the 3 levels of cultivar (η² .78): highest for 1, lowest for 3."
 *
 * Correlations are tested by t, η² by F and the centres of groups by v-test, at `level` after Holm's correction for all tests of
 * the component. A column of the fit is named where its correlation is significant, it contributes as much as the average column or more,
 * and its bootstrap interval, where there is one, leaves out 0. A category of the fit is named in the same way, by its η² and its
 * contribution, as a group is. Groups, categories and supplementary columns that have less than 4 % of a component's variance in
 * common with it are not named: many rows make that significant, and it is no finding. The tests take the component as given:
 * whether it is more than noise is not their question.
 *
 * Nothing is said of a component without variance or without a significant relation, or of a model without centring, whose
 * cosines have no test. Of an axis that the data do not determine, the sentence says only that.
 */
export function describeComponents(model: Model, facts: ComponentFacts = {}): string[] {
  const columns = facts.columns ?? columnContributions(model);
  const sentences = Array.from({ length: model.k }, (_, c) => describeComponent(model, c, { ...facts, columns }));
  return sentences.filter((sentence) => sentence !== undefined);
}

/** The least η² or r² that is worth a sentence. Cohen (1988) calls less than .06 small, and r = .2, which is .04, is hardly seen in a plot. */
const LEAST_EFFECT = 0.04;

/** The sentence about component `c`, counted from 0; undefined where there is nothing to say. */
export function describeComponent(model: Model, c: number, facts: ComponentFacts = {}): string | undefined {
  const { uniqueness, centered, varianceRatios } = model;
  if (!centered || !(c >= 0 && c < uniqueness.rank)) return undefined;
  const title = `PC${c + 1} (${share(varianceRatios[c])})`;
  if (!uniqueness.axes[c].determined) return `${title}: not determined by the data; other axes fit as well.`;
  const parts = significantParts(model, c, facts);
  return parts.length === 0 ? undefined : `${title}: ${parts.join('; ')}.`;
}

/** What is significant about component `c`, as parts of a sentence. */
function significantParts(model: Model, c: number, facts: ComponentFacts): string[] {
  const { columns = columnContributions(model), level = 0.05, most = 4 } = facts;
  const { correlationIntervals = model.stability?.correlations } = facts;
  const { columns: others, groups } = facts.supplementary ?? { columns: [], groups: [] };
  const { own, isLevel, inputs } = ownCategories(model);
  const numbers = columns.map((column, j) => ({ ...column, j })).filter(({ j }) => !isLevel(j));
  const adjusted = holm([
    ...numbers.map(({ correlation }) => correlationPValue(correlation[c], model.totalWeight)),
    ...own.flatMap(({ eta2, levels }) => [
      eta2PValue(eta2[c], levels.length, model.totalWeight),
      ...levels.map(({ vTest }) => vTestPValue(vTest[c])),
    ]),
    ...others.map(({ pValue }) => pValue[c]),
    ...groups.flatMap(({ pValue, levels }) => [pValue[c], ...levels.map(({ vTest }) => vTestPValue(vTest[c]))]),
  ]);
  // Taken in the order in which they were put in.
  const holds = adjusted.map((p) => p < level).values();
  const next = (): boolean => holds.next().value === true;
  const stable = (j: number): boolean => {
    const at = c * model.d + j;
    return !correlationIntervals || correlationIntervals.low[at] > 0 || correlationIntervals.high[at] < 0;
  };
  // Less a little, so that rounding does not choose among columns that contribute the same.
  const average = (100 / inputs) * (1 - 1e-9);
  const named = numbers.flatMap(({ name, correlation, contribution, j }) =>
    next() && contribution[c] >= average && stable(j) ? [{ name: name ?? `column ${j + 1}`, r: correlation[c] }] : [],
  );
  const divides = own
    .map((category) => ({ category, whole: next(), levels: category.levels.map(next) }))
    .filter(({ category: { contribution, levels, from, eta2 }, whole }) => {
      const fits = contribution[c] >= average && levels.some((_, l) => stable(from + l));
      return whole && fits && eta2[c] >= LEAST_EFFECT;
    })
    .sort((a, b) => b.category.eta2[c] - a.category.eta2[c])
    .map(({ category: { column, levels, eta2 }, levels: significant }) =>
      groupPart({ name: column, levels, eta2 }, c, significant),
    );
  const related = others.flatMap(({ name, correlation }, j) =>
    next() && correlation[c] ** 2 >= LEAST_EFFECT
      ? [{ name: name ?? `supplementary column ${j + 1}`, r: correlation[c] }]
      : [],
  );
  const divided = groups.flatMap((group) => {
    const whole = next();
    const levels = group.levels.map(next);
    return whole && group.eta2[c] >= LEAST_EFFECT ? [groupPart(group, c, levels)] : [];
  });
  // The component of a single column is that column.
  return [
    ...columnPart(model.d === 1 ? [] : named, most),
    ...categoryParts(divides, most),
    ...relatedPart(related, most),
    ...divided,
  ];
}

/** The categories that a model was fitted to, which of its columns are their levels, and how many columns the table had. */
function ownCategories(model: Model): {
  own: (Category & { readonly from: number })[];
  isLevel: (j: number) => boolean;
  inputs: number;
} {
  const { coding, d } = model;
  if (!coding || coding.method === 'pca') return { own: [], isLevel: () => false, inputs: d };
  const offsets = offsetsOf(coding);
  const starts = coding.columns.flatMap(({ kind }, at) => (kind === 'category' ? [at] : []));
  const levels = new Set(starts.flatMap((at) => range(offsets[at], offsets[at + 1])));
  return {
    own: categories(model).map((category, i) => ({ ...category, from: offsets[starts[i]] })),
    isLevel: (j) => levels.has(j),
    inputs: coding.columns.length,
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** The strongest of them; the others are counted. */
function categoryParts(parts: readonly string[], most: number): string[] {
  if (parts.length <= most + 1) return [...parts];
  return [...parts.slice(0, most), `differs between levels of ${count(parts.length - most)} more categories`];
}

type Centre = Pick<GroupLevel, 'level' | 'center' | 'vTest'>;

interface Named {
  readonly name: string;
  readonly r: number;
}

/** "more a and b, less c". */
function columnPart(named: readonly Named[], most: number): string[] {
  const sides = [
    { word: 'more', of: named.filter(({ r }) => r > 0) },
    { word: 'less', of: named.filter(({ r }) => r < 0) },
  ].filter(({ of }) => of.length > 0);
  if (sides.length === 0) return [];
  return [
    sides
      .map(
        ({ word, of }) =>
          `${word} ${listedUpTo(
            byStrength(of).map(({ name }) => name),
            most,
          )}`,
      )
      .join(', '),
  ];
}

/** "correlates with a (r .96) and b (r −.70)". */
function relatedPart(related: readonly Named[], most: number): string[] {
  if (related.length === 0) return [];
  return [
    `correlates with ${listedUpTo(
      byStrength(related).map(({ name, r }) => `${name} (r ${decimal(r)})`),
      most,
    )}`,
  ];
}

/**
 * "separates the 3 levels of g (η² .78): highest for a, lowest for b", or "higher for a than for b (g, η² .40)". Groups are called
 * separate where half of the variance or more is between them; `significant` says which centres are.
 */
function groupPart(
  { name, levels, eta2 }: Pick<Groups, 'name' | 'eta2'> & { readonly levels: readonly Centre[] },
  c: number,
  significant: readonly boolean[],
): string {
  const order = levels.map((level, at) => ({ ...level, at })).sort((a, b) => b.center[c] - a.center[c]);
  const [highest, lowest] = [order[0], order[order.length - 1]];
  const eta = `η² ${decimal(eta2[c])}`;
  if (levels.length === 2) return `higher for ${highest.level} than for ${lowest.level} (${name}, ${eta})`;
  const ends = [
    ...(significant[highest.at] && highest.vTest[c] > 0 ? [`highest for ${highest.level}`] : []),
    ...(significant[lowest.at] && lowest.vTest[c] < 0 ? [`lowest for ${lowest.level}`] : []),
  ];
  const verb = eta2[c] >= 0.5 ? 'separates' : 'differs between';
  const whole = `${verb} the ${count(levels.length)} levels of ${name} (${eta})`;
  return ends.length === 0 ? whole : `${whole}: ${ends.join(', ')}`;
}

function byStrength(named: readonly Named[]): Named[] {
  return [...named].sort((a, b) => Math.abs(b.r) - Math.abs(a.r));
}

/** "a, b and 3 more". */
function listedUpTo(names: readonly string[], most: number): string {
  // "and 1 more" takes as much room as its name.
  if (names.length <= most + 1) return listed(names);
  return listed([...names.slice(0, most), `${count(names.length - most)} more`]);
}

/** .78, −.30: two decimals, as correlations are printed, and more where 1 would be too much. */
function decimal(value: number): string {
  const size = Math.abs(value);
  let decimals = 2;
  while (size < 1 && decimals < 15 && Number(size.toFixed(decimals)) === 1) decimals++;
  return `${value < 0 ? '−' : ''}${size.toFixed(decimals).replace(/^0/, '')}`;
}

/** 37 %; below one per cent with one decimal. */
function share(ratio: number): string {
  const value = 100 * ratio;
  // Less than everything is not shown as 100 %.
  if (value >= 99.5) return percent(ratio);
  return `${value >= 1 ? Math.round(value) : value >= 0.05 ? value.toFixed(1) : '<\u00a00.1'}\u00a0%`;
}
