/** `@scree/core/describe`: a model in sentences, and numbers as people read them. */

export { componentsFor, shareKept } from '../analysis/components-for.js';
export {
  certificateWords,
  neededComponents,
  roundingWords,
  spreadWords,
  uniquenessWords,
  varianceWords,
} from './describe-model.js';
export { stabilityWords, varianceIntervalWords } from './describe-stability.js';
export { count, degrees, listed, percent, powerOfTen, runs, several, show, tick } from './numbers.js';
