import type { Model } from '@scree/core';
import { screePlot } from '../scree-plot.js';
import { describeWarning } from './describe-error.js';

/** What stands before the bars of a scree plot, and a place at the end. */
const NUMBERS = 25;

/** A model in words and a plot, as lines: what was kept, how sure it is, what to beware of. */
export function tellModel(model: Model): string[] {
  const kept = model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
  const { certificate } = model;
  const width = Math.max(8, Math.min(40, (process.stdout.columns ?? 80) - NUMBERS));
  return [
    ...screePlot(model, { most: 20, width }).split('\n'),
    '',
    `${model.k} ${model.k === 1 ? 'component keeps' : 'components keep'} ${(100 * kept).toFixed(1)} % of the variance of ${model.d} ${model.d === 1 ? 'column' : 'columns'}.`,
    `Checked: residuals up to ${Math.max(...certificate.residuals).toExponential(1)}, variances within ${relative(Math.max(...certificate.varianceBounds), model.variances[0])} of the largest,`,
    `axes within ${angle(Math.max(...certificate.angleBounds))}, the subspace within ${angle(certificate.subspaceAngleBound)} of exact.`,
    ...model.warnings.map((warning) => `Note: ${describeWarning(warning, model.columnNames)}`),
  ];
}

function relative(bound: number, largest: number): string {
  return largest > 0 ? (bound / largest).toExponential(1) : '0';
}

/** Radians as degrees; what is a right angle says that nothing is certain. */
function angle(radians: number): string {
  return radians > 1.57 ? '90° (nothing is certain)' : `${((180 / Math.PI) * radians).toExponential(1)}°`;
}
