import type { Choice, Criterion, CriterionName } from '../../model/choice.js';
import { type CriterionMethod, doesNotApply, type Evidence, type Need, type Result } from './criterion.js';
import { recommend } from './recommend.js';
import { CRITERIA } from './registry.js';

/** Asks each of the criteria in turn, and recommends a number of components. */
export async function judge(evidence: Evidence, names: readonly CriterionName[]): Promise<Choice> {
  const criteria: Criterion[] = [];
  for (const name of names) criteria.push({ name, ...(await ask(CRITERIA[name], evidence)) });
  return { ...recommend(criteria), criteria, spectrum: Array.from(evidence.spectrum) };
}

async function ask(method: CriterionMethod, evidence: Evidence): Promise<Result> {
  const reason = obstacle(method, evidence);
  return reason === undefined ? method.compute(evidence) : doesNotApply(reason);
}

/** Why a criterion cannot be asked about these data, as a sentence. */
function obstacle({ title, requires, needs }: CriterionMethod, evidence: Evidence): string | undefined {
  const subject = title.charAt(0).toUpperCase() + title.slice(1);
  if (!(evidence.spectrum[0] > 0)) return 'All rows are the same: there is no variance.';
  if (requires.includes('centered') && !evidence.centered)
    return `${subject} is about variances around the mean, and these data are not centred.`;
  if (requires.includes('unweighted') && evidence.weighted)
    return `${subject} counts rows, and these rows have weights.`;
  if (requires.includes('correlation') && !evidence.correlation)
    return `${subject} is for correlations, and these columns have different variances. Use scale: 'unit' to apply it.`;
  const missing = needs.find((need: Need) => evidence[need] === undefined && evidence.absent[need] !== undefined);
  return missing === undefined ? undefined : `${subject} ${evidence.absent[missing]}`;
}
