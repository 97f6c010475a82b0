import type { Model } from '@scree/core';
import { offsetsOf } from '@scree/core/data';
import { type Category, categories } from './categories.js';
import { type ColumnContribution, columnContributions } from './column-contributions.js';
import type { GroupLevel, Groups } from './groups.js';
import { correlationPValue, eta2PValue, holm, vTestPValue } from './significance.js';
import type { SupplementaryColumn } from './supplementary-columns.js';

/** Facts for the meaning of a component, besides the model. */
export interface ComponentFacts {
  /** The result of `columnContributions`; computed from the model by default. */
  readonly columns?: readonly ColumnContribution[];
  /** The result of `supplementary` for other columns and groups. */
  readonly supplementary?: {
    readonly columns: readonly SupplementaryColumn[];
    readonly groups: readonly Groups[];
  };
  /**
   * Intervals of the columns' correlations, k × d, from a bootstrap; by default those of `model.stability`. A column whose interval
   * contains 0 is not named.
   */
  readonly correlationIntervals?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
  /** Probability that anything is named by chance. Default 0.05. */
  readonly level?: number;
}

/** A column and its correlation with a component. */
export interface RelatedColumn {
  readonly name: string;
  readonly correlation: number;
}

/** Groups of rows that lie apart on a component. */
export interface RelatedGroups {
  readonly name: string;
  /** Share of the component's variance that lies between the groups. */
  readonly eta2: number;
  /** The group with the largest mean score first. */
  readonly levels: readonly (Pick<GroupLevel, 'level'> & {
    /** Mean score of the group. */
    readonly center: number;
    readonly vTest: number;
    /** True if the mean differs significantly from that of all rows. */
    readonly significant: boolean;
  })[];
}

/** Neighbouring columns of a spectrum or a curve that rise, or fall, together. */
export interface RelatedRange {
  readonly from: string;
  readonly to: string;
  /** The mean of their correlations with the component. */
  readonly correlation: number;
}

/** The significant relations of a component with columns and groups. */
export interface ComponentMeaning {
  /** Counted from 1. */
  readonly component: number;
  /** Its share of the variance. */
  readonly share: number;
  /** True if the data determine its direction. If not, the component has no relations. */
  readonly determined: boolean;
  /** Columns of the fit, the strongest first. */
  readonly columns: readonly RelatedColumn[];
  /** Categories of the fit, the strongest first. */
  readonly categories: readonly RelatedGroups[];
  /** Supplementary columns, the strongest first. */
  readonly supplementary: readonly RelatedColumn[];
  readonly groups: readonly RelatedGroups[];
  /** True if all columns, at least three, have a correlation of at least 0.5 with the same sign. */
  readonly together?: boolean;
  /** The named columns as ranges, if columns are in an order in which neighbours are alike. */
  readonly ranges?: readonly RelatedRange[];
}

/** Columns with at least this |r| are named, and in any case the strongest STRONGEST. */
const LEAST_CORRELATION = 0.5;
const STRONGEST = 3;
/** Fewest columns that "rise together". */
const FEWEST_TOGETHER = 3;

/** The least η² or r² of a relation. Cohen (1988) calls η² below .06 small, and r = .2, which is r² = .04, is hardly visible in a plot. */
const LEAST_EFFECT = 0.04;

/**
 * The meaning of component `c`, counted from 0. Undefined for a component without variance, and for a model without centring, whose
 * cosines have no test.
 *
 * Correlations are tested by t, η² by F and the centres of groups by v-test, at `level` after Holm's correction for all tests of the
 * component. A column of the fit is named if its correlation is significant, its bootstrap interval, if there is one, excludes 0, and
 * |r| is at least 0.5 or among the three largest. A category of the fit is named by its η², if it contributes as much as the average
 * column or more.
 * Groups, categories and supplementary columns that share less than 4 % of a component's variance are not named: with many rows such a
 * relation is significant, but it is too weak to matter. The tests take the component as given. They do not test if it is more than
 * noise.
 */
export function componentMeaning(model: Model, c: number, facts: ComponentFacts = {}): ComponentMeaning | undefined {
  const { uniqueness, centered, varianceRatios } = model;
  if (!centered || !(c >= 0 && c < uniqueness.rank)) return undefined;
  const title = { component: c + 1, share: varianceRatios[c], determined: uniqueness.axes[c].determined };
  return title.determined
    ? { ...title, ...significantRelations(model, c, facts) }
    : { ...title, columns: [], categories: [], supplementary: [], groups: [] };
}

type Relations = Omit<ComponentMeaning, 'component' | 'share' | 'determined'>;

function significantRelations(model: Model, c: number, facts: ComponentFacts): Relations {
  const { columns = columnContributions(model), level = 0.05 } = facts;
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
  // The results are taken in the order of the tests.
  const holds = adjusted.map((p) => p < level).values();
  const next = (): boolean => holds.next().value === true;
  const stable = (j: number): boolean => {
    const at = c * model.d + j;
    return !correlationIntervals || correlationIntervals.low[at] > 0 || correlationIntervals.high[at] < 0;
  };
  // Slightly less, so that rounding does not choose among columns with equal contributions.
  const average = (100 / inputs) * (1 - 1e-9);
  const significant = numbers.flatMap(({ name, correlation, j }) =>
    next() && stable(j) && correlation[c] ** 2 >= LEAST_EFFECT
      ? [{ name: name ?? `column ${j + 1}`, correlation: correlation[c], j }]
      : [],
  );
  const strongest = new Set(byStrength(significant).slice(0, STRONGEST));
  const named = significant.filter((each) => Math.abs(each.correlation) >= LEAST_CORRELATION || strongest.has(each));
  const divides = own
    .map((category) => ({ category, whole: next(), apart: category.levels.map(next) }))
    .filter(({ category: { contribution, levels, from, eta2 }, whole }) => {
      const fits = contribution[c] >= average && levels.some((_, l) => stable(from + l));
      return whole && fits && eta2[c] >= LEAST_EFFECT;
    })
    .sort((a, b) => b.category.eta2[c] - a.category.eta2[c])
    .map(({ category, apart }) => relatedGroups({ ...category, name: category.column }, c, apart));
  const related = others.flatMap(({ name, correlation }, j) =>
    next() && correlation[c] ** 2 >= LEAST_EFFECT
      ? [{ name: name ?? `supplementary column ${j + 1}`, correlation: correlation[c] }]
      : [],
  );
  const divided = groups.flatMap((group) => {
    const whole = next();
    const apart = group.levels.map(next);
    return whole && group.eta2[c] >= LEAST_EFFECT ? [relatedGroups(group, c, apart)] : [];
  });
  return {
    // A single column is its own component.
    columns: model.d === 1 ? [] : byStrength(named).map(({ name, correlation }) => ({ name, correlation })),
    ...(riseTogether(named, numbers.length) ? { together: true } : {}),
    ...(model.warnings.some(({ code }) => code === 'ORDERED_COLUMNS') ? { ranges: rangesOf(named) } : {}),
    categories: divides,
    supplementary: byStrength(related),
    groups: divided,
  };
}

function relatedGroups(
  { name, levels, eta2 }: Pick<Groups, 'name' | 'eta2'> & { readonly levels: readonly Centre[] },
  c: number,
  significant: readonly boolean[],
): RelatedGroups {
  const own = levels.map(({ level, center, vTest }, at) => ({
    level,
    center: center[c],
    vTest: vTest[c],
    significant: significant[at],
  }));
  return { name, eta2: eta2[c], levels: own.sort((a, b) => b.center - a.center) };
}

type Centre = Pick<GroupLevel, 'level' | 'center' | 'vTest'>;

/** Returns true if all columns are named and have strong correlations of one sign. */
function riseTogether(named: readonly RelatedColumn[], columns: number): boolean {
  if (columns < FEWEST_TOGETHER || named.length < columns) return false;
  const sign = Math.sign(named[0].correlation);
  return named.every(({ correlation }) => sign * correlation >= LEAST_CORRELATION);
}

/** Runs of neighbouring named columns with correlations of one sign, the longest first. */
function rangesOf(named: readonly (RelatedColumn & { readonly j: number })[]): RelatedRange[] {
  const runs: { first: string; last: string; at: number; sum: number; length: number }[] = [];
  for (const { name, correlation, j } of named) {
    const run = runs.at(-1);
    if (run && run.at === j - 1 && run.sum * correlation > 0) {
      Object.assign(run, { last: name, at: j, sum: run.sum + correlation, length: run.length + 1 });
    } else runs.push({ first: name, last: name, at: j, sum: correlation, length: 1 });
  }
  return runs
    .sort((a, b) => b.length - a.length || a.at - b.at)
    .map(({ first, last, sum, length }) => ({ from: first, to: last, correlation: sum / length }));
}

function byStrength<Related extends RelatedColumn>(related: readonly Related[]): Related[] {
  return [...related].sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation));
}

/** The categories of a fit, which encoded columns are their levels, and the number of columns of the table. */
function ownCategories(model: Model): {
  own: (Category & { readonly from: number })[];
  isLevel: (j: number) => boolean;
  inputs: number;
} {
  const { coding: encoding, d } = model;
  if (!encoding || encoding.method === 'pca') return { own: [], isLevel: () => false, inputs: d };
  const offsets = offsetsOf(encoding);
  const starts = encoding.columns.flatMap(({ kind }, at) => (kind === 'category' ? [at] : []));
  const levels = new Set(starts.flatMap((at) => range(offsets[at], offsets[at + 1])));
  return {
    own: categories(model).map((category, i) => ({ ...category, from: offsets[starts[i]] })),
    isLevel: (j) => levels.has(j),
    inputs: encoding.columns.length,
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
