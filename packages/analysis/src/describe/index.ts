/** `@scree/analysis/describe`: a model in sentences, and numbers as people read them. */

export { componentsFor, hasAllComponents, knownRatios, shareKept } from '../choose/components-for.js';
export { CRITERION_TITLES, criterionLines, describeChoice } from './describe-choice.js';
export { describeCoding } from './describe-coding.js';
export { type ComponentFacts, describeComponent, describeComponents } from './describe-component.js';
export { describeFewDigits, type FewDigits } from './describe-few-digits.js';
export {
  describeCertificate,
  describeRounding,
  describeSpreads,
  describeUniqueness,
  describeVariances,
  neededComponents,
} from './describe-model.js';
export { describeRank, type RankDetails } from './describe-rank.js';
export {
  describeStability,
  describeVarianceBias,
  describeVarianceIntervals,
  STABLE_ANGLE,
} from './describe-stability.js';
export { count, degrees, listed, percent, powerOfTen, runs, several, show, tick } from './numbers.js';
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
