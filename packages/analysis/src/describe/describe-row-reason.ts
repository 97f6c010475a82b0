import type { RowReason } from '../rows/row-reasons.js';
import { formatNumber } from './numbers.js';

/** "outlet 4.1 above what the others predict": why a row is beyond a limit, in the units of the column. */
export function describeRowReason({ name, statistic, difference }: RowReason): string {
  const from = statistic === 'q' ? 'what the others predict' : 'its mean';
  return `${name} ${formatNumber(Math.abs(difference), 3)} ${difference < 0 ? 'below' : 'above'} ${from}`;
}
