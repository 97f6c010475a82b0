import { isFloat64Array } from '../base/built-in-name.js';
import type { OptionCheck } from '../base/control.js';
import type { Matrix } from '../data/blocks/matrix.js';
import { describeValue, OptionError } from '../errors.js';
import type { LearnOptions } from './learned/learn-options.js';
import { SOLVER_NAMES, type SolverName } from './names.js';
import { SOLVERS } from './registry.js';

const number = (must: string, test: (value: number) => boolean): OptionCheck => ({
  must,
  test: (value) => typeof value === 'number' && test(value),
});

const whole = (least: number): OptionCheck =>
  number(`a whole number from ${least} up`, (v) => Number.isSafeInteger(v) && v >= least);

const oneOf = (...names: readonly string[]): OptionCheck => ({
  must: names.map((name) => `'${name}'`).join(' or '),
  test: (value) => names.includes(value as string),
});

const CHECKS: Record<Exclude<keyof LearnOptions, 'rule'>, OptionCheck> = {
  epochs: whole(1),
  step: number('a number above 0', (v) => v > 0 && Number.isFinite(v)),
  decay: number('a number of epochs above 0', (v) => v > 0),
  batch: whole(1),
  alpha: number('a number from 0 to below 1 (at 1 the data would not matter)', (v) => v >= 0 && v < 1),
  descent: oneOf('plain', 'momentum', 'adam'),
  momentum: number('a number from 0 to below 1', (v) => v >= 0 && v < 1),
  exact: {
    must: 'a matrix { rows, cols, data } of Float64Array, as model.components is',
    test: (v) => typeof v === 'object' && v !== null && isFloat64Array((v as Matrix).data),
  },
  onEpoch: { must: 'a function', test: (v) => typeof v === 'function' },
};

/** The options of a fit that `learn` depends on. */
interface LearnRequest {
  readonly solver: SolverName | 'auto';
  readonly learn?: LearnOptions | undefined;
  readonly k?: number | 'all' | undefined;
  readonly center?: boolean;
  readonly weights?: unknown;
}

/** Checks `learn`, and the options that it depends on. */
export function checkLearn({ solver, learn, k, center, weights }: LearnRequest): void {
  if (learn !== undefined) checkLearnOptions(learn, solver);
  if (solver !== 'auto' && SOLVERS[solver].family === 'learned' && typeof k === 'number' && k < 1) {
    throw new OptionError(
      'K_OUT_OF_RANGE',
      `k is the fraction ${k}, and a solver that learns must know how many components to learn. Give k as a whole number, or use an exact solver.`,
      { option: 'k', value: k },
    );
  }
  if (learn?.rule === 'oja' && k !== undefined && k !== 1) {
    throw new OptionError(
      'K_OUT_OF_RANGE',
      `Oja's rule has one neuron, so k must be 1, not ${describeValue(k)}. Use rule: 'subspace' or 'sanger' for more.`,
      { option: 'k', value: k, expected: 1 },
    );
  }
  if (learn?.rule !== 'pairwise' || (center !== false && weights === undefined)) return;
  const option = center === false ? 'center' : 'weights';
  throw new OptionError(
    'BAD_OPTION',
    `The pairwise rule is about distances between rows, which know no ${option === 'center' ? 'origin, so center cannot be false' : 'weights'}. Use rule: 'factored'.`,
    { option },
  );
}

/** Throws if the solver does not accept an option in `learn`. */
export function checkLearnOptions(learn: LearnOptions, solver: SolverName | 'auto', prefix = 'learn.'): void {
  if (typeof learn !== 'object' || learn === null) throw refused('learn', learn, 'an object');
  const learner = solver === 'auto' ? undefined : SOLVERS[solver].learn;
  if (!learner) {
    const names = SOLVER_NAMES.filter((name) => SOLVERS[name].learn).map((name) => `'${name}'`);
    throw new OptionError(
      'BAD_OPTION',
      `learn is for the solvers that learn, and the solver is '${solver}'. Choose one of ${names.join(', ')}, or leave learn out.`,
      { option: 'learn' },
    );
  }
  for (const [option, value] of Object.entries(learn)) {
    if (value === undefined) continue;
    const check = option === 'rule' ? learner.rules && oneOf(...learner.rules) : CHECKS[option as keyof typeof CHECKS];
    if (!check || !(option === 'rule' || learner.options.includes(option as keyof LearnOptions))) {
      const known = [...(learner.rules ? ['rule'] : []), ...learner.options];
      throw new OptionError(
        'UNKNOWN_OPTION',
        `There is no option ${describeValue(option)} for ${solver}. Its options are ${known.join(', ')}.`,
        { option: `${prefix}${option}` },
      );
    }
    if (!check.test(value)) throw refused(`${prefix}${option}`, value, check.must);
  }
  if (learn.momentum !== undefined && learn.descent !== undefined && learn.descent !== 'momentum') {
    throw new OptionError(
      'BAD_OPTION',
      `${prefix}momentum is for descent: 'momentum', and it is '${learn.descent}'. Leave one of them out.`,
      { option: `${prefix}momentum` },
    );
  }
}

function refused(option: string, value: unknown, must: string): OptionError {
  return new OptionError('BAD_OPTION', `${option} is ${describeValue(value)}; it must be ${must}.`, { option, value });
}
