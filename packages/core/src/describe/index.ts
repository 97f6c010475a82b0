/** `@scree/core/describe`: a model in sentences, and numbers as people read them. */

export { componentsFor, knownRatios, shareKept } from '../analysis/components-for.js';
export { CRITERION_TITLES, choiceWords, criterionLines } from './describe-choice.js';
export {
  certificateWords,
  neededComponents,
  spreadWords,
  uniquenessWords,
  varianceWords,
} from './describe-model.js';
export { count, degrees, listed, percent, powerOfTen, runs, several, show, tick } from './numbers.js';
