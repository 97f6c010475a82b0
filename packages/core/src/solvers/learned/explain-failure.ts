import type { Failure } from '../solver.js';
import type { LearnOptions } from './learn-options.js';
import type { EpochState } from './rule.js';

/** Explains why learning did not converge, and names a remedy. */
export function explainFailure(
  { step, loss, shorter, defect, settled }: EpochState,
  epochs: number,
  { worst }: { readonly worst: number },
  { tolerance, learn }: { readonly tolerance: number; readonly learn: LearnOptions },
  missing: boolean,
  prefix = 'learn.',
): Failure {
  const after = `After ${epochs} ${epochs === 1 ? 'epoch' : 'epochs'}`;
  if (shorter !== undefined) {
    const given = learn.step ?? step;
    const expected = Number(shorter.toPrecision(2));
    const how = Number.isFinite(loss) ? `is ${loss.toPrecision(3)} and does not fall` : 'is not finite any more';
    return {
      code: 'DIVERGED',
      message: `A step of ${given} is too long: ${after.toLowerCase()} the loss ${how}. Try step: ${expected}, or leave step out and it is chosen.`,
      details: { option: `${prefix}step`, value: given, expected },
    };
  }
  const remedy = `Allow more epochs (${prefix}epochs)${learn.step === undefined ? '' : ', a shorter step'}`;
  const best = prefix === '' ? 'state' : 'model';
  const what = missing
    ? `a direction is still missing that has more variance than one that was found. ${remedy}, or another seed`
    : settled === false && worst <= tolerance
      ? `the subspace is found, but what is learned has not come to rest (defect ${defect.toExponential(1)}). ${remedy}`
      : `the residual is ${worst.toExponential(1)}, above the tolerance ${tolerance}. ${remedy} or a larger tolerance, or use an exact solver`;
  return {
    code: 'NOT_CONVERGED',
    message: `${after} ${what}; the error's \`best\` is the ${best} so far.`,
    details: { value: worst, expected: tolerance },
  };
}
