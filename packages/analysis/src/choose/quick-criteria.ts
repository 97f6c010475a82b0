import type { CriterionName } from '@scree/core';
import { CRITERION_NAMES } from '@scree/core/pipeline';

/** Operations that simulated and permuted tables may take without being asked for: about a second. */
const OPERATIONS = 1.5e9;
/** Tables that are simulated by default, and the fewest that are worth it. */
const TABLES = 1000;
const FEWEST_TABLES = 99;
/** Groups of rows that cross-validation takes. */
const FOLDS = 10;

/** Criteria that take little time for a table of some shape. */
export interface QuickCriteria {
  /** Simulated or permuted tables; undefined: as many as `chooseComponents` takes. */
  readonly tables: number | undefined;
  readonly omitted: readonly CriterionName[];
}

/** Every criterion, however long it takes. */
export const ALL_CRITERIA: QuickCriteria = { tables: undefined, omitted: [] };

/**
 * The criteria that cost little, by the shape alone. Simulated and permuted tables and cross-validation may take 1.5·10⁹ operations
 * each, and are left out if that is not enough.
 */
export function quickCriteria(n: number, d: number, correlation: boolean): QuickCriteria {
  const size = Math.min(n, d);
  const light = correlation && size > 128;
  const simulated = light ? 60 * size * size : 2 * d * size * size + 4 * size ** 3 + 150 * d * size;
  const permuted = n * d * (size + 60) + 4 * size ** 3;
  const validated = FOLDS * (n < d ? n * d * (n + 60) : 11 * d ** 3);
  const tables = (each: number): number => Math.min(TABLES, Math.floor(OPERATIONS / each));
  const [one, both] = [tables(simulated), tables(simulated + permuted)];
  const omitted: CriterionName[] = [
    ...(one < FEWEST_TABLES ? (['parallel'] as const) : []),
    ...(both < FEWEST_TABLES ? (['permutation'] as const) : []),
    ...(validated > OPERATIONS ? (['cross-validation'] as const) : []),
  ];
  const count = both < FEWEST_TABLES ? one : both;
  return { tables: count === TABLES || count < FEWEST_TABLES ? undefined : count, omitted };
}

/** The same as options of `chooseComponents`. */
export function criteriaOptions({ tables, omitted }: QuickCriteria): {
  criteria?: CriterionName[];
  permutations?: number;
} {
  return {
    ...(omitted.length === 0 ? {} : { criteria: CRITERION_NAMES.filter((name) => !omitted.includes(name)) }),
    ...(tables === undefined ? {} : { permutations: tables }),
  };
}
