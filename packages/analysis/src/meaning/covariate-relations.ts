import { eta2PValue, holm } from './significance.js';
import type { Supplementary } from './supplementary.js';

/** What a covariate, which was not fitted, has to do with a component of the fit. */
export interface CovariateRelation {
  readonly name: string;
  /** A column of numbers, or a column of groups. */
  readonly kind: 'column' | 'groups';
  /** Counted from 1. */
  readonly component: number;
  /** The correlation of a column with the scores, or η² of groups. */
  readonly effect: number;
  readonly pValue: number;
  /** The p-value after Holm's correction for all covariates and all fitted components. */
  readonly adjusted: number;
  /** True if the adjusted p-value is below 0.05 and the effect is not too weak to matter: at least 4 % of the component's variance. */
  readonly related: boolean;
}

/** The least η² or r² of a relation, as in `componentMeaning`. */
const LEAST_EFFECT = 0.04;
const LEVEL = 0.05;

/**
 * Every supplementary column and every column of groups against every fitted component with variance: t test of the correlation, F test
 * of η², Holm's correction over all of them. Relations that are not significant are listed too.
 */
export function covariateRelations({ columns, groups }: Supplementary, components: number): CovariateRelation[] {
  const tests = Array.from({ length: components }, (_, c) => c).flatMap((c) => [
    ...columns.map(({ name, correlation, pValue }, j) => ({
      ...{ name: name ?? `supplementary column ${j + 1}`, kind: 'column' as const, component: c + 1 },
      ...{ effect: correlation[c], pValue: pValue[c], share: correlation[c] ** 2 },
    })),
    ...groups.map(({ name, eta2, levels, n }) => ({
      ...{ name, kind: 'groups' as const, component: c + 1 },
      ...{ effect: eta2[c], pValue: eta2PValue(eta2[c], levels.length, n), share: eta2[c] },
    })),
  ]);
  const adjusted = holm(tests.map(({ pValue }) => pValue));
  return tests.map(({ share, ...test }, i) => ({
    ...test,
    adjusted: adjusted[i],
    related: adjusted[i] < LEVEL && share >= LEAST_EFFECT,
  }));
}
