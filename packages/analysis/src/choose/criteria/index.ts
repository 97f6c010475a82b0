/** `@scree/analysis/criteria`: the names and titles of the criteria, for pages and help texts that must not load the numerics. */

export type { CriterionTitle } from './criterion.js';
export {
  CRITERION_NAMES,
  type CriterionName,
  criteriaByImportance,
  criterionTitle,
  mayDecide,
  noiseTested,
} from './registry.js';
