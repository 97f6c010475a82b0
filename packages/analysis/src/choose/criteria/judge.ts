import type { Choice, Criterion, CriterionName } from '@scree/core';
import type { Obstacle } from '@scree/core/pipeline';
import { type CriterionMethod, doesNotApply, type Evidence, type Need, type Result } from './criterion.js';
import { recommend } from './recommend.js';
import { CRITERIA } from './registry.js';
import { CRITERION_TITLES } from './titles.js';

/** Asks each of the criteria in turn, and recommends a number of components. */
export async function judge(evidence: Evidence, names: readonly CriterionName[]): Promise<Choice> {
  const criteria: Criterion[] = [];
  for (const name of names) criteria.push({ name, ...(await ask(CRITERIA[name], evidence)) });
  return { ...recommend(criteria), criteria, spectrum: Array.from(evidence.spectrum) };
}

async function ask(method: CriterionMethod, evidence: Evidence): Promise<Result & Pick<Criterion, 'obstacle'>> {
  const found = obstacleTo(method, evidence);
  return found ? { ...doesNotApply(found.sentence), obstacle: found.obstacle } : method.compute(evidence);
}

/** Why a criterion cannot be asked about these data. */
function obstacleTo(
  { name, requires, needs }: CriterionMethod,
  evidence: Evidence,
): { readonly obstacle: Obstacle; readonly sentence: string } | undefined {
  const title = CRITERION_TITLES[name].sentence;
  const subject = title.charAt(0).toUpperCase() + title.slice(1);
  if (!(evidence.spectrum[0] > 0))
    return { obstacle: 'variance', sentence: 'All rows are the same: there is no variance.' };
  if (requires.includes('centered') && !evidence.centered) {
    const sentence = `${subject} is about variances around the mean, and these data are not centred.`;
    return { obstacle: 'centered', sentence };
  }
  if (requires.includes('unweighted') && evidence.weighted)
    return { obstacle: 'unweighted', sentence: `${subject} counts rows, and these rows have weights.` };
  if (requires.includes('correlation') && !evidence.correlation) {
    const sentence = `${subject} is for correlations, and these columns have different variances. Use scale: 'unit' to apply it.`;
    return { obstacle: 'correlation', sentence };
  }
  const missing = needs.find((need: Need) => evidence[need] === undefined && evidence.absent[need] !== undefined);
  return missing && { obstacle: missing, sentence: `${subject} ${evidence.absent[missing]}` };
}
