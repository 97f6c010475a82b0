import type { ScaleChoice } from '../inspect/choose-scale.js';
import { formatNumber, listed } from './numbers.js';

/** How an audience chooses the other rule, and calls a column. */
export interface ScaleDescription {
  /** "--scale unit", "scale: 'unit'". */
  readonly option?: (rule: ScaleChoice['rule']) => string;
  readonly called?: (column: string | number) => string;
}

/** Why columns of one unit are recognised. */
const EVIDENCE = {
  name: 'their names end in the same unit',
  lengths: 'their names are all lengths',
  positions: 'their names are positions of one measurement',
  range: 'all have the same range, as ratings do',
  minimum: 'most begin at the same number, as counts and pixels do',
} as const;

/**
 * One sentence about the scaling that `scale: 'auto'` chose: which, why, and how to get the other. For spectra, compositions and single
 * columns there is no other.
 */
export function describeScale(
  choice: ScaleChoice,
  { option = (rule) => `scale: '${rule}'`, called = (column) => String(column) }: ScaleDescription = {},
): string {
  const { rule, reason } = choice;
  const why = reasonOf(choice, called);
  if (rule === 'unit')
    return `Columns are divided by their standard deviations, because ${why}; ${option('none')} keeps their units.`;
  if (reason === 'one-column' || reason === 'ordered' || reason === 'parts')
    return `Columns are not scaled, because ${why}.`;
  return `Columns are not scaled, because ${why}; ${option('unit')} divides each by its standard deviation.`;
}

function reasonOf(
  { reason, evidence, units = [], spreads = [] }: ScaleChoice,
  called: NonNullable<ScaleDescription['called']>,
): string {
  switch (reason) {
    case 'units-differ':
      return `their names have different units (${listed(units)})`;
    case 'spreads-differ': {
      const [largest, smallest] = spreads;
      const ratio = Math.floor(largest.deviation / smallest.deviation);
      return `these differ ${formatNumber(Math.max(2, ratio))}-fold, from ${formatNumber(smallest.deviation, 3)} (${called(smallest.column)}) to ${formatNumber(largest.deviation, 3)} (${called(largest.column)})`;
    }
    case 'one-unit':
      return EVIDENCE[evidence ?? 'name'];
    case 'ordered':
      return 'neighbouring columns are alike, as in a spectrum';
    case 'parts':
      return 'they are parts of a whole';
    case 'spreads-alike':
      return 'their standard deviations differ less than twofold';
    case 'one-column':
      return 'no two of them vary';
    case 'not-centred':
      return 'means are not subtracted';
    case 'not-read':
      return 'the rows were not read before the fit';
    default:
      return reason satisfies never;
  }
}
