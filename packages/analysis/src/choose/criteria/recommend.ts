import type { Choice, Criterion, CriterionName } from '@scree/core';
import { CRITERION_TITLES, criteriaByImportance } from './titles.js';

/** Criteria that decide, the first that applies. */
const DECIDE: readonly CriterionName[] = ['permutation', 'parallel', 'cross-validation'];
/** Criteria that agree, and criteria that disagree, that a sentence has room for. */
const ROOM = 3;

export interface Recommendation {
  readonly k: number;
  readonly reason: string;
  readonly agree: readonly CriterionName[];
}

type Answer = Criterion & { readonly k: number };

/**
 * The number of components to keep, by one rule: that of the permutation test; where the rows are not there, of parallel analysis; where
 * that does not apply either, of cross-validation; otherwise the median of the criteria that do, at least 1.
 *
 * Why a test against noise decides: it keeps its 5 % of false components on tables without structure, whatever the distributions and
 * variances of the columns are, and combining several tests would lose that. Cross-validation finds the factors of simulated tables more often,
 * where strong components hide weak ones from the test; but in real tables, whose noise is not white, it goes on to components that help to predict single
 * columns. So it is named beside, and does not decide. `bench/choose-components.ts` measures all three.
 */
export function recommend(criteria: readonly Criterion[]): Recommendation {
  const answers = criteria.filter((criterion): criterion is Answer => criterion.k !== null);
  if (answers.length === 0) {
    const why = criteria.length === 1 ? ` ${criteria[0].sentence}` : '';
    return { k: 1, agree: [], reason: `No criterion applies to these data, so one component is a default.${why}` };
  }
  if (criteria.length === 1) return single(answers[0]);
  const decider = DECIDE.map((name) => answers.find((each) => each.name === name)).find((each) => each !== undefined);
  const sorted = answers.map((each) => each.k).sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const k = decider?.k ?? Math.max(1, median);
  const inOrder = criteriaByImportance({ criteria: answers }) as readonly Answer[];
  const agree = inOrder.filter((each) => each.k === k).map(({ name }) => name);
  const others = inOrder.filter((each) => each.k !== k);
  return { k, agree, reason: `${headline(k, agree, decider, median)}${disagreement(others)}.` };
}

/** Where nothing stands out because spreads differ, and `scaled` components do among columns of the same spread. */
export function hiddenStructure(choice: Choice, scaled: number): Choice {
  const out = scaled === 1 ? '1 component stands' : `${scaled} components stand`;
  return {
    ...choice,
    k: 1,
    agree: [],
    reason: `Scale the columns to see more: as they are, no component has more variance than independent columns with the same spreads would have by chance. Of columns scaled to the same spread, ${out} out of noise. One component is a default.`,
  };
}

/** Where one criterion was asked, it decides. */
function single({ name, k, sentence }: Answer): Recommendation {
  const title = CRITERION_TITLES[name].sentence;
  const kept = k === 0 ? `${title.charAt(0).toUpperCase()}${title.slice(1)} keeps no component.` : `Keep ${k}.`;
  return { k, agree: [name], reason: `${kept} ${sentence}` };
}

function headline(k: number, agree: readonly CriterionName[], decider: Answer | undefined, median: number): string {
  const nothing = decider?.name === 'cross-validation' ? 'Keep none' : 'Nothing stands out of noise';
  const keep = k === 0 ? nothing : `Keep ${k}`;
  const more = agree.length - ROOM;
  const titles = agree.slice(0, ROOM).map((name) => CRITERION_TITLES[name].sentence);
  const names = list(more > 0 ? [...titles, `${more} more`] : titles);
  if (!decider) {
    const why =
      median === k ? 'the lower median of the criteria that apply here' : 'a default for the criteria that apply here';
    return `${keep}: ${why}, none of which tests against noise`;
  }
  return `${keep}: ${names} ${agree.length === 1 ? (k === 0 ? 'finds no component' : `finds ${k}`) : 'agree'}`;
}

/** "; cross-validation says 7 and the elbow 2": the most important of those that say something else. */
function disagreement(others: readonly Answer[]): string {
  if (others.length === 0) return '';
  const said = others
    .slice(0, ROOM)
    .map(({ name, k }, i) => `${CRITERION_TITLES[name].sentence}${i === 0 ? ' says' : ''} ${k}`);
  const more = others.length - said.length;
  return `; ${list(said)}${more > 0 ? `, and ${more} more differ${more === 1 ? 's' : ''}` : ''}`;
}

function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}
