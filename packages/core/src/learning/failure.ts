import type { Failure } from '../solvers/solver.js';
import type { Epoch } from './epoch.js';
import type { Stand } from './rule.js';

/** Why learning ended without an answer that can be vouched for, and what to do about it. */
export function explain(
  stand: Stand,
  epoch: Epoch,
  found: { readonly worst: number },
  { tolerance }: { readonly tolerance: number },
  missing: boolean,
  prefix = 'learn.',
): Failure {
  const { step, loss } = stand;
  const jumping = stand.settled === false && found.worst <= tolerance;
  if (stand.diverged || jumping) {
    const smaller = step / 4;
    const how = jumping
      ? 'does not fall any more, though the points have not come to rest'
      : Number.isFinite(loss)
        ? `is ${loss.toPrecision(3)} and does not fall`
        : 'is not finite any more';
    return {
      code: 'DIVERGED',
      message: `A step of ${step} is too long: after ${epoch.epoch} epochs the loss ${how}. Try step: ${smaller.toPrecision(1)}, or leave step out and it is chosen.`,
      details: { option: `${prefix}step`, value: step, expected: smaller },
    };
  }
  const worst = found.worst.toExponential(1);
  return {
    code: 'NOT_CONVERGED',
    message: missing
      ? `After ${epoch.epoch} epochs a direction is still missing that has more variance than one that was found. Allow more epochs (${prefix}epochs), or another seed; the error's \`best\` is the model so far.`
      : `After ${epoch.epoch} epochs the residual is ${worst}, above the tolerance ${tolerance}. Allow more epochs (${prefix}epochs) or a larger tolerance, or use an exact solver; the error's \`best\` is the model so far.`,
    details: { value: found.worst, expected: tolerance },
  };
}
