import type { ScaleChoice } from '../inspect/choose-scale.js';
import { formatNumber, listed } from './numbers.js';

/** How an audience chooses the other rule, and calls a column. */
export interface ScaleDescription {
  /** "--scale unit", "scale: 'unit'". Without it the other rule is not named. */
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
export function describeScale(choice: ScaleChoice, description: ScaleDescription = {}): string {
  const { rule, reason } = choice;
  const { called = (column) => String(column) } = description;
  const why = reasonOf(choice, called);
  const named = (other: ScaleChoice['rule'], what: string): string =>
    description.option ? `; ${description.option(other)} ${what}` : '';
  if (rule === 'unit')
    return `Columns are divided by their standard deviations, because ${why}${named('none', 'keeps their units')}.`;
  const only = reason === 'one-column' || reason === 'ordered' || reason === 'parts';
  return `Columns are not scaled, because ${why}${only ? '' : named('unit', 'divides each by its standard deviation')}.`;
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
