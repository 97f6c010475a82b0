import type { Choice, Criterion, CriterionName } from '@scree/core';
import { count, listed } from '@scree/core/describe';

/** Criteria as figures and tables call them, the most important first. */
export const CRITERION_TITLES: Readonly<Record<CriterionName, string>> = {
  permutation: 'permutation test',
  parallel: 'parallel analysis',
  'cross-validation': 'cross-validation',
  elbow: 'elbow',
  kaiser: 'Kaiser’s rule',
  map: 'Velicer’s MAP',
  'broken-stick': 'broken stick',
  'tracy-widom': 'Tracy–Widom',
  'gavish-donoho': 'Gavish–Donoho',
  'profile-likelihood': 'profile likelihood',
  gcv: 'GCV',
  mle: 'Minka’s MLE',
};

/** Names that need an article in a sentence. */
const WITH_ARTICLE: readonly CriterionName[] = ['permutation', 'elbow', 'broken-stick'];
/** Criteria that a short sentence names on each side. */
const NAMED = { agree: 3, differ: 2 } as const;

/** The most important first. */
export function inOrder({ criteria }: Choice): Choice['criteria'] {
  const names = Object.keys(CRITERION_TITLES);
  return [...criteria].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

/** "Keep 3: the permutation test, parallel analysis and 5 more agree; the elbow says 2." `choice.reason` has all of it. */
export function shortReason(choice: Choice): string {
  const answers = inOrder(choice).filter((each): each is Criterion & { readonly k: number } => each.k !== null);
  const agree = answers.filter(({ k }) => k === choice.k);
  const differ = answers.filter(({ k }) => k !== choice.k).slice(0, NAMED.differ);
  const keep = choice.k === 0 ? 'Nothing stands out from noise' : `Keep ${choice.k}`;
  const more = agree.length - NAMED.agree;
  const names = agree.map(({ name }) => inSentence(name));
  const first = more > 1 ? [...names.slice(0, NAMED.agree), `${count(more)} more`] : names;
  const other = differ.map(({ name, k }, i) => `${inSentence(name)}${i === 0 ? ' says' : ''} ${k}`);
  return [
    keep,
    agree.length === 0 ? '' : `: ${listed(first)} ${agree.length === 1 ? 'says so' : 'agree'}`,
    other.length === 0 ? '' : `; ${listed(other)}`,
    '.',
  ].join('');
}

function inSentence(name: CriterionName): string {
  return `${WITH_ARTICLE.includes(name) ? 'the ' : ''}${CRITERION_TITLES[name]}`;
}
