import type { Criterion, CriterionName } from '../../model/choice.js';
import { components, type Evidence } from './criterion.js';
import { CRITERIA } from './registry.js';

/** Tests against noise, the one with the weakest assumptions first. */
const NOISE_TESTS: readonly CriterionName[] = ['permutation', 'parallel', 'tracy-widom'];
/** Estimates of the error of entries that are left out, the one without approximation first. */
const ERROR_ESTIMATES: readonly CriterionName[] = ['cross-validation', 'gcv'];

export interface Recommendation {
  readonly k: number;
  readonly reason: string;
  readonly agree: readonly CriterionName[];
}

/** The number of components to keep: that of the test against noise with the weakest assumptions. */
export function recommend(criteria: readonly Criterion[], _evidence: Evidence): Recommendation {
  const answered = criteria.filter((criterion): criterion is Criterion & { k: number } => criterion.k !== null);
  const first = (names: readonly CriterionName[]) =>
    names.map((name) => answered.find((each) => each.name === name)).find((each) => each !== undefined);
  const leading = first(NOISE_TESTS) ?? first(ERROR_ESTIMATES) ?? answered[0];
  const k = leading?.k ?? 1;
  const agree = answered.filter((each) => each.k === k).map(({ name }) => name);
  const others = answered.filter((each) => each.k !== k);
  const head = k === 0 ? 'Nothing stands out of noise' : `Keep ${k}`;
  const who = list(agree.map((name) => CRITERIA[name].title));
  const rest = others.map(({ name, k: other }) => `${CRITERIA[name].title} says ${other}`);
  return {
    k,
    agree,
    reason:
      leading === undefined
        ? `No criterion applies, so ${components(1)} is a default.`
        : `${head}: ${agree.length === 1 ? `by ${who}` : `${who} agree`}${rest.length > 0 ? `; ${list(rest)}` : ''}.`,
  };
}

function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}
