import { Model, type Moments } from '@scree/core';
import { checkObject, keepAlive } from '@scree/core/pipeline';
import type { Analysis } from './analysis.js';
import { type AnalyzeOptions, keptComponents, recordOf, tableWithoutRows } from './analyze.js';
import { addChoiceAndStability, type CriteriaEffort } from './choice-and-stability.js';
import { omit } from './fields.js';
import { type FitQuestions, fitAndAsk } from './fit-and-ask.js';
import type { TableFit } from './fit-table.js';
import type { ScaleChoice } from './inspect/choose-scale.js';
import { inspectionOfMoments } from './inspect/inspected-source.js';
import type { NotComputed } from './reasons.js';
import type { TableSummary } from './summary/table-summary.js';

/** Options of `analyzeSummary`. A summary has no rows, and its replicates were drawn when it was made. */
export type AnalyzeSummaryOptions = Omit<AnalyzeOptions, 'names' | 'supplementary' | 'listRows' | 'bootstrap'> & {
  /** 0 ignores the replicates of the summary. */
  readonly bootstrap?: number;
};

/** Fits the moments or the sketch of a summary, and chooses k. */
export async function fitSummary(summary: TableSummary, options: AnalyzeSummaryOptions = {}): Promise<TableFit> {
  const { criteria = 'all' } = options;
  const start = performance.now();
  const moments = await summary.moments();
  const scaling = options.scale === 'auto' && moments ? await scaleOfMoments(moments, options) : undefined;
  const scale = options.scale === 'auto' ? scaling?.rule : options.scale;
  const questions: FitQuestions = {
    inspectColumns: true,
    ...omit(options, 'criteria', 'rotate', 'scale', 'missing'),
    ...(scale === undefined ? {} : { scale }),
    bootstrap: 0,
  };
  const fitted = moments ? await fitAndAsk(moments, questions) : undefined;
  const plain = fitted?.model ?? (await summary.model(questions));
  const seconds = (performance.now() - start) / 1000;
  const stability = options.bootstrap === 0 ? undefined : await summary.stability(plain, questions);
  const warnings = moments ? [...plain.warnings, ...summary.warnings] : plain.warnings;
  const model = new Model({ ...plain, warnings, ...(stability ? { stability } : {}) });
  const effort: CriteriaEffort = criteria === 'none' ? 'quick' : criteria;
  const asks = { effort, criteria: criteria !== 'none', replicates: 0, source: undefined, moments, options: questions };
  const examined = await addChoiceAndStability(model, asks);
  const { choice, stability: unknown } = examined.notComputed;
  const notComputed: NotComputed = {
    ...(choice ? { choice: moments ? choice : { code: 'SKETCH' } } : {}),
    ...(unknown ? { stability: { code: 'NO_ROWS' } } : {}),
  };
  const { source } = tableWithoutRows(summary.header);
  const first = fitted?.first ?? (() => model);
  return { ...examined, notComputed, first, source, seconds, scaling };
}

/** The scaling that the columns of moments need. */
async function scaleOfMoments(
  moments: Moments,
  { columnNames, center = true }: Pick<AnalyzeSummaryOptions, 'columnNames' | 'center'>,
): Promise<ScaleChoice> {
  const { chooseScale } = await import('./inspect/choose-scale.js');
  return chooseScale(await inspectionOfMoments(moments, columnNames), center);
}

/** `analyze` for a summary. Parts that need rows are not computed. */
export function analyzeSummary(summary: TableSummary, options: AnalyzeSummaryOptions = {}): Promise<Analysis> {
  return keepAlive(async () => {
    checkObject(options);
    const fitted = await fitSummary(summary, { ...options, scale: options.scale ?? 'auto' });
    const table = { ...tableWithoutRows(summary.header), source: fitted.source, merged: summary.header.parts };
    const noRows = { code: 'NO_ROWS' } as const;
    const answers = {
      rows: noRows,
      second: noRows,
      apart: undefined,
      listRows: true,
      rotation: options.rotate,
    } as const;
    return recordOf(table, fitted, keptComponents(fitted, table, options), answers, options);
  });
}
