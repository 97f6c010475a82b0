import type { NotComputed } from '@scree/analysis';
import {
  describeEncoding,
  describeStability,
  formatNumber,
  hasAllComponents,
  percent,
  plural,
  rowOrderOf,
  shareKept,
} from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { screePlot } from '../scree-plot.js';
import { warningWithFlags } from './describe-error.js';
import { reasonWithFlags } from './describe-reason.js';

/** Columns of the terminal that a scree plot needs for its numbers, besides its bars. */
const NUMBERS = 25;

/** A model in sentences and a plot, as lines: the variance that was kept, how accurate it is, and warnings. */
export function describeModel(model: Model, notComputed: NotComputed = {}): string[] {
  return [
    ...variancesOf(model),
    '',
    // For any data, all components together keep all variance, so that sentence would say nothing. Shares may be unknown.
    ...(hasAllComponents(model) || Number.isNaN(model.totalVariance)
      ? []
      : [
          `${plural(model.k, 'component keeps', 'components keep')} ${percent(shareKept(model))} of the variance of ${columnCount(model)}.`,
        ]),
    ...(model.coding ? describeEncoding(model.coding) : []),
    ...describeChoice(model, notComputed),
    ...stabilityLine(model, notComputed),
    // A warning says that nothing was checked.
    ...(model.certificate.checked === false ? [] : [describeAccuracy(model)]),
    ...model.warnings.map((warning) => `Warning: ${warningWithFlags(warning, model.columnNames)}`),
  ];
}

/** A scree plot, or the variances if their shares are not known. */
function variancesOf(model: Model): string[] {
  const width = Math.max(8, Math.min(40, (process.stdout.columns ?? 80) - NUMBERS));
  if (!Number.isNaN(model.totalVariance)) return screePlot(model, { most: 20, width }).split('\n');
  const lines = Array.from(
    model.variances,
    (variance, i) => `${String(i + 1).padStart(4)} ${formatNumber(variance, 6)}`,
  );
  const more = lines.length - 20;
  return [' PC variance', ...lines.slice(0, 20), ...(more > 0 ? [`   … ${more} more`] : [])];
}

/** "12 columns", or for an encoded table "11 columns, 22 when coded". */
export function columnCount({ d, coding: encoding }: Model): string {
  const given = encoding?.columns.length ?? d;
  return given === d ? plural(d, 'column') : `${plural(given, 'column')}, ${d} when coded`;
}

/** How many components to keep, in one line. */
function describeChoice({ choice }: Model, notComputed: NotComputed): string[] {
  if (choice) return [`How many: ${choice.reason}`];
  return notComputed.choice === undefined
    ? []
    : [`How many: not examined. ${reasonWithFlags('choice', notComputed.choice)}`];
}

/** The recommended number of components, at most k. If the model recommends none: k. */
export function recommended({ k, choice }: Model): number {
  return Math.min(k, choice?.k ?? k);
}

/** The stability of the components, in one line. */
function stabilityLine(model: Model, notComputed: NotComputed): string[] {
  const { stability } = model;
  if (stability)
    return [`How stable: ${describeStability(stability, model.k, recommended(model), rowOrderOf(model))[0]}`];
  return notComputed.stability === undefined
    ? []
    : [`How stable: not examined. ${reasonWithFlags('stability', notComputed.stability)}`];
}

/** The bounds of the certificate in one sentence; the numbers themselves are in --json and in the report. */
export function describeAccuracy({
  k,
  variances,
  certificate: { varianceBounds, angleBounds },
}: Pick<Model, 'k' | 'variances' | 'certificate'>): string {
  const certain = Array.from({ length: k }, (_, i) => i).filter((i) => variances[i] > varianceBounds[i]);
  const zero = variances.length > 0 && varianceBounds[k - 1] <= Number.EPSILON * 1e4 * variances[0];
  const rest = zero ? 'zero within rounding' : 'not certain';
  if (certain.length === 0) return `Rounding: the ${k === 1 ? 'variance is' : 'variances are'} ${rest}.`;
  const error = Math.max(...certain.map((i) => varianceBounds[i] / variances[i]));
  const digits = Math.min(15, Math.floor(-Math.log10(error)));
  const angle = Math.max(...certain.map((i) => angleBounds[i]));
  const [one, all] = [certain.length === 1, certain.length === k];
  const which = all
    ? one
      ? 'the variance'
      : 'all variances'
    : `the ${one ? 'variance' : 'variances'} of ${numbers(certain)}`;
  const exact = digits < 1 ? 'in the order of magnitude' : `to ${plural(digits, 'digit')}`;
  const direction = angle > 1.57 ? '' : `, ${one ? 'its direction' : 'directions'} to ${shortDegrees(angle)}`;
  const others = Array.from({ length: k }, (_, i) => i).filter((i) => !certain.includes(i));
  const end = all ? '' : `; ${numbers(others)} ${others.length === 1 ? 'is' : 'are'} ${rest}`;
  return `Rounding: ${which} ${one ? 'is' : 'are'} exact ${exact}${direction}${end}.`;
}

/** "component 3", "components 3–5": components from 1, in ranges. */
function numbers(indices: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const i of indices) {
    const last = ranges.at(-1);
    if (last && last[1] === i - 1) last[1] = i;
    else ranges.push([i, i]);
  }
  const shown = ranges.map(([from, to]) => (from === to ? `${from + 1}` : `${from + 1}–${to + 1}`));
  return `${indices.length === 1 ? 'component' : 'components'} ${shown.join(', ')}`;
}

/** Radians as degrees with one digit: 0.2°, 3e-9°. */
function shortDegrees(radians: number): string {
  return `${Number(((180 / Math.PI) * radians).toPrecision(1))}°`;
}
