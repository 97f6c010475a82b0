/** `@scree/core/describe`: a model in sentences, and numbers as people read them. */

export { componentsFor, knownRatios, shareKept } from '../analysis/components-for.js';
export { CRITERION_TITLES, choiceWords, criterionLines } from './describe-choice.js';
export { codingWords } from './describe-coding.js';
export { type ComponentFacts, describeComponent, describeComponents } from './describe-component.js';
export {
  certificateWords,
  neededComponents,
  roundingWords,
  spreadWords,
  uniquenessWords,
  varianceWords,
} from './describe-model.js';
export { STABLE_ANGLE, stabilityWords, varianceBiasWords, varianceIntervalWords } from './describe-stability.js';
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
