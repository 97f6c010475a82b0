import { CRITERIA, CRITERION_NAMES, type CriterionName } from './criteria/registry.js';

/** Operations that a criterion may take unasked: about a second. */
const OPERATIONS = 1.5e9;
/** Tables that are simulated by default, and the fewest that are worth it. */
const TABLES = 1000;
const FEWEST_TABLES = 99;

/** Criteria that take little time for a table of some shape. */
export interface QuickCriteria {
  /** Simulated or permuted tables; undefined for the default of `chooseComponents`. */
  readonly tables: number | undefined;
  readonly omitted: readonly CriterionName[];
}

/** Every criterion, however long it takes. */
export const ALL_CRITERIA: QuickCriteria = { tables: undefined, omitted: [] };

/**
 * The criteria that cost little, by the shape alone. Simulated and permuted tables together, and every other criterion, may take 1.5·10⁹
 * operations, and are left out if that is not enough.
 */
export function quickCriteria(n: number, d: number, correlation: boolean): QuickCriteria {
  const omitted: CriterionName[] = [];
  let [operations, tables] = [0, TABLES];
  for (const name of CRITERION_NAMES) {
    const cost = CRITERIA[name].cost?.({ n, d, correlation });
    if (!cost) continue;
    if ('perTable' in cost) operations += cost.perTable;
    const affordable = 'perTable' in cost ? Math.min(TABLES, Math.floor(OPERATIONS / operations)) : TABLES;
    const tooLong = 'total' in cost ? cost.total > OPERATIONS : affordable < FEWEST_TABLES;
    if (tooLong) omitted.push(name);
    else tables = Math.min(tables, affordable);
  }
  return { tables: tables === TABLES ? undefined : tables, omitted };
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
