/** `@scree/analysis/describe`: sentences about models and analyses, formatted numbers, and colours of figures. */

export { componentsFor, hasAllComponents, knownRatios, shareKept } from '../choose/components-for.js';
export { describeBetween, describeKept } from './describe-between.js';
export { criterionLines, describeChoice } from './describe-choice.js';
export {
  type DescribedComponentFacts,
  describeComponent,
  describeComponents,
  describeMeaning,
} from './describe-component.js';
export { describeDrift } from './describe-drift.js';
export { describeEncoding } from './describe-encoding.js';
export { type DescribedAnalysis, type DescribeWarning, describeFinding } from './describe-finding.js';
export {
  describeCertificate,
  describeOrigin,
  describeRounding,
  describeSpreads,
  describeUniqueness,
  describeVariances,
  neededComponents,
} from './describe-model.js';
export { describeReason, describeReasons } from './describe-reason.js';
export { describeRowReason } from './describe-row-reason.js';
export { describeScale, type ScaleDescription } from './describe-scale.js';
export { describeRobust, describeSecondLook } from './describe-second-look.js';
export {
  describeStability,
  describeVarianceBias,
  describeVarianceIntervals,
  rowOrderOf,
  STABLE_ANGLE,
} from './describe-stability.js';
export {
  describeRelation,
  describeRowOrder,
  describeTotal,
  type WrittenRelation,
} from './describe-structure.js';
export {
  type DescribedModel,
  type DescribedRows,
  describeUnusual,
  explainUnusual,
  firstComponents,
  hasLimits,
  rowTitle,
} from './describe-unusual.js';
export { describeFewDigits, describeRank, type FewDigits, type RankDetails } from './describe-warnings.js';
export { count, degrees, formatNumber, listed, percent, plural, powerOfTen, runs, tick } from './numbers.js';
export {
  CATEGORY_COLOURS,
  type Colour,
  NEGATIVE_COLOUR,
  NEGATIVE_FILL,
  OTHER_COLOUR,
  POSITIVE_COLOUR,
  POSITIVE_FILL,
  RAMP_COLOURS,
} from './palette.js';
export { plainText, shortened, squeezed, squeezedApart } from './plain-text.js';
