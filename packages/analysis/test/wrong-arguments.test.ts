import {
  adjustedInertias,
  analyze,
  analyzeModel,
  bootstrap,
  categories,
  compareModels,
  famd,
  mca,
  mfa,
  monitor,
  probabilistic,
  rowContributions,
  rowLimits,
  supplementary,
  supplementaryRows,
} from '@scree/analysis';
import { makePlan, pca, referenceEngine, ScreeError } from '@scree/core';
import { loadTransform } from '@scree/core/transform';
import { describe, expect, it } from 'vitest';

const rows = Array.from({ length: 20 }, (_, i) => [i, Math.sin(i), Math.cos(i * i)]);
const model = await pca(rows, { k: 2 });
const stored = loadTransform(JSON.stringify(model));
const engine = referenceEngine();

/** Calls with an argument that a program passes by mistake: the result of a call that failed, or an option that is not there. */
type Call = (wrong: never) => unknown;
const calls: [string, Call][] = [
  ['options of bootstrap', (wrong) => bootstrap(rows, wrong)],
  ['options of analyze', (wrong) => analyze(rows, wrong)],
  ['options of analyzeModel', (wrong) => analyzeModel(model, rows, wrong)],
  ['options of mca', (wrong) => mca(rows, wrong)],
  ['options of famd', (wrong) => famd(rows, wrong)],
  ['options of mfa', (wrong) => mfa(rows, wrong)],
  ['options of monitor', (wrong) => monitor(model, rows, wrong)],
  ['options of rowContributions', (wrong) => rowContributions(model, rows, wrong)],
  ['options of supplementary', (wrong) => supplementary(model, rows, wrong)],
  ['the model of analyzeModel', (wrong) => analyzeModel(wrong, rows)],
  ['the model of monitor', (wrong) => monitor(wrong, rows)],
  ['the model of rowLimits', (wrong) => rowLimits(wrong)],
  ['the model of rowContributions', (wrong) => rowContributions(wrong, rows)],
  ['the model of supplementaryRows', (wrong) => supplementaryRows(wrong, rows)],
  ['the model of supplementary', (wrong) => supplementary(wrong, rows)],
  ['the model of probabilistic', (wrong) => probabilistic(wrong)],
  ['the model of categories', (wrong) => categories(wrong)],
  ['the model of adjustedInertias', (wrong) => adjustedInertias(wrong)],
  ['the first model of compareModels', (wrong) => compareModels(wrong, model)],
  ['the second model of compareModels', (wrong) => compareModels(model, wrong)],
  ['the rows of a stored transform', (wrong) => stored.transform(wrong)],
  ['the scores of a stored transform', (wrong) => stored.inverseTransform(wrong)],
  ['the shape of makePlan', (wrong) => makePlan(wrong, { solver: 'auto', engine })],
  ['the request of makePlan', (wrong) => makePlan({ rows: 9, cols: 3, rereadable: true }, wrong)],
  ['the columns of makePlan', (wrong) => makePlan({ cols: wrong, rereadable: true }, { solver: 'auto', engine })],
  ['the engine of makePlan', (wrong) => makePlan({ cols: 3, rereadable: true }, { solver: 'auto', engine: wrong })],
  ['the solver of makePlan', (wrong) => makePlan({ cols: 3, rereadable: true }, { solver: wrong, engine })],
];

describe('a wrong argument is an error that says what is needed', () => {
  it.each(calls)('%s', async (_, call) => {
    for (const wrong of [null, 'x'] as never[]) {
      const error = await (async () => call(wrong))().catch((reason: unknown) => reason);
      expect(error, String(wrong)).toBeInstanceOf(ScreeError);
      expect((error as ScreeError).message).toMatch(/must be|Pass rows|is needed|sparse/);
    }
  });
});
