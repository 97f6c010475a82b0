import type { Choice, Criterion } from '@scree/core';
import { capitalised, listed } from '../describe/numbers.js';
import { CRITERIA, CRITERION_NAMES, criteriaByImportance, criterionTitle } from './criteria/registry.js';

/** Criteria that decide, by rank. */
const DECIDERS = CRITERION_NAMES.flatMap((name) => {
  const { decides } = CRITERIA[name];
  return decides ? [{ name, ...decides }] : [];
}).sort((a, b) => a.rank - b.rank);
/** Most criteria that agree, and most that disagree, in a sentence. */
const MOST_NAMED = 3;

export interface Recommendation {
  readonly k: number;
  readonly reason: string;
  readonly agree: readonly string[];
}

type Answer = Criterion & { readonly k: number };
type Decider = Answer & { readonly noise?: string };

/**
 * Recommends the number of components to keep. The permutation test decides; without rows, parallel analysis; if that does not apply
 * either, cross-validation. Otherwise it is the median of the criteria that apply, at least 1.
 *
 * Why a test against noise decides: it keeps its 5 % of false components on tables without structure, whatever the distributions and
 * variances of the columns are, and a combination of several tests would lose that. Cross-validation finds the factors of simulated
 * tables more often, if strong components hide weak ones from the test. In real tables, whose noise is not white, it adds components
 * that help to predict single columns. So the sentence names its answer, and the test decides. `bench/choose-components.ts` measures
 * all three.
 */
export function recommend(criteria: readonly Criterion[]): Recommendation {
  const answers = criteria.filter((criterion): criterion is Answer => criterion.k !== null);
  if (answers.length === 0) {
    const why = criteria.length === 1 ? ` ${criteria[0].sentence}` : '';
    return { k: 1, agree: [], reason: `No criterion applies to these data, so one component is a default.${why}` };
  }
  if (criteria.length === 1) return onlyAnswer(answers[0]);
  const [decider] = DECIDERS.flatMap(({ name, noise }): Decider[] => {
    const answer = answers.find((each) => each.name === name);
    return answer ? [{ ...answer, ...(noise ? { noise } : {}) }] : [];
  });
  const sorted = answers.map((each) => each.k).sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const k = decider?.k ?? Math.max(1, median);
  const inOrder = criteriaByImportance({ criteria: answers });
  const agree = inOrder.filter((each) => each.k === k).map(({ name }) => name);
  const others = inOrder.filter((each) => each.k !== k);
  return { k, agree, reason: `${headline(k, agree, decider, median)}${disagreement(others)}.` };
}

/** The choice if no component stands out of noise, but `scaled` components do once the columns have the same spread. */
export function hiddenStructure(choice: Choice, scaled: number): Choice {
  const out = scaled === 1 ? '1 component stands' : `${scaled} components stand`;
  return {
    ...choice,
    k: 1,
    agree: [],
    reason: `Scale the columns to see more: as they are, no component has more variance than independent columns with the same spreads would have by chance, so one component is a default. If the columns are scaled to the same spread, ${out} out of noise.`,
  };
}

/** The recommendation if only one criterion was asked. */
function onlyAnswer({ name, k, sentence }: Answer): Recommendation {
  const kept = k === 0 ? `${capitalised(criterionTitle(name).sentence)} keeps no component.` : `Keep ${k}.`;
  return { k, agree: [name], reason: `${kept} ${sentence}` };
}

function headline(k: number, agree: readonly string[], decider: Decider | undefined, median: number): string {
  const nothing = decider && !decider.noise ? 'Keep none' : 'Nothing stands out of noise';
  const keep = k === 0 ? nothing : `Keep ${k}`;
  const more = agree.length - MOST_NAMED;
  const titles = agree.slice(0, MOST_NAMED).map((name) => criterionTitle(name).sentence);
  const names = listed(more > 0 ? [...titles, `${more} more`] : titles);
  if (!decider) {
    const why =
      median === k ? 'the lower median of the criteria that apply here' : 'a default for the criteria that apply here';
    return `${keep}: ${why}, none of which tests against noise`;
  }
  return `${keep}: ${names} ${agree.length === 1 ? (k === 0 ? 'finds no component' : `finds ${k}`) : 'agree'}`;
}

/** "; cross-validation says 7 and the elbow 2": the most important criteria with another answer. */
function disagreement(others: readonly Answer[]): string {
  if (others.length === 0) return '';
  const said = others
    .slice(0, MOST_NAMED)
    .map(({ name, k }, i) => `${criterionTitle(name).sentence}${i === 0 ? ' says' : ''} ${k}`);
  const more = others.length - said.length;
  return `; ${listed(said)}${more > 0 ? `, and ${more} more differ${more === 1 ? 's' : ''}` : ''}`;
}
