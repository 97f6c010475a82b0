import type { Model } from '@scree/core';
import type { RowLimits } from './row-limits.js';
import type { RowMonitor, RowStatistics } from './row-monitor.js';

/** Why a row is beyond a limit: what one column has to do with it. Numbers are in the units of the columns of the model. */
export interface RowReason {
  /** Index and name of the column. A column without a name is called by its number, from 0. */
  readonly column: number;
  readonly name: string;
  /** The statistic to which the column contributes more, measured by the limits. */
  readonly statistic: 't2' | 'q';
  /** The column's part of this statistic, from 0 to 1. */
  readonly share: number;
  readonly value: number;
  /** Of Q, what the other columns predict by the components; of T², the mean of the column. */
  readonly expected: number;
  /** value − expected. */
  readonly difference: number;
}

/** Columns with a smaller part of what is beyond the limits are no reason. */
const LEAST_SHARE = 0.05;
/** If the components hold all of a column but this share, the other columns say nothing about it. */
const LEAST_UNIQUE = 1e-6;

/** The limits that a row is beyond: 't2', 'q', both or none. */
export type RowFlag = readonly ('t2' | 'q')[];

export function flagOf({ t2, q }: RowStatistics, limits: Pick<RowLimits, 't2' | 'q'>): RowFlag {
  const flags: ('t2' | 'q')[] = [];
  if (limits.t2 !== null && t2 > limits.t2) flags.push('t2');
  if (limits.q !== null && q > limits.q) flags.push('q');
  return flags;
}

/**
 * The columns that contribute most to what is beyond the limits, strongest first, at most `most`. The measured row is the last of the
 * monitor. The prediction of column j from the other columns by the components leaves eⱼ/(1 − Σ v²ⱼ), as leaving out a point of a
 * regression does.
 */
export function reasonsOf(
  model: Pick<Model, 'mean' | 'scale' | 'columnNames'>,
  monitor: RowMonitor,
  { t2, q }: RowStatistics,
  limits: Pick<RowLimits, 't2' | 'q'>,
  most: number,
): RowReason[] {
  const flags = flagOf({ t2, q }, limits);
  if (flags.length === 0 || most === 0) return [];
  monitor.share();
  const { d, residual, shares, row } = monitor;
  const inT2 = flags.includes('t2') ? 1 / (limits.t2 as number) : 0;
  const inQ = flags.includes('q') ? 1 / (limits.q as number) : 0;
  const weights = new Float64Array(d);
  let total = 0;
  for (let j = 0; j < d; j++) {
    weights[j] = inT2 * shares[j] ** 2 + inQ * residual[j] ** 2;
    total += weights[j];
  }
  const strongest: number[] = [];
  for (let j = 0; j < d; j++) {
    if (strongest.length === most && !(weights[j] > weights[strongest[most - 1]])) continue;
    strongest.push(j);
    strongest.sort((a, b) => weights[b] - weights[a]);
    strongest.length = Math.min(strongest.length, most);
  }
  return strongest
    .filter((j, at) => at === 0 || weights[j] > LEAST_SHARE * total)
    .map((j): RowReason => {
      const statistic = inQ * residual[j] ** 2 >= inT2 * shares[j] ** 2 ? 'q' : 't2';
      const unique = Math.max(LEAST_UNIQUE, 1 - monitor.communality(j));
      const difference = model.scale[j] * (statistic === 'q' ? residual[j] / unique : row[j]);
      const value = model.mean[j] + model.scale[j] * row[j];
      const share = statistic === 'q' ? residual[j] ** 2 / q : shares[j] ** 2 / t2;
      const name = model.columnNames?.[j] ?? String(j);
      return { column: j, name, statistic, share, value, expected: value - difference, difference };
    });
}
