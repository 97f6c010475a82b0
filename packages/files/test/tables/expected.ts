/**
 * Public tables, and what a statistician would want to be told before an analysis of all their numeric columns, unscaled. Expectations
 * written by hand, from the meaning of the columns, before the program had seen the tables. `null` columns: the code must be there,
 * whichever columns it names.
 *
 * `unsaid`: what would be wanted, but nothing in the numbers or the name tells it. The tests assert that too, so that the table in
 * docs/guide/choosing-a-scaling.md stays true.
 */
export interface Expected {
  readonly table: string;
  /** Code and columns. */
  readonly wanted: Readonly<Record<string, readonly (string | number)[] | null>>;
  readonly unsaid?: string;
}

export const EXPECTED: readonly Expected[] = [
  // R, package datasets.
  { table: 'iris', wanted: {} },
  { table: 'USArrests', wanted: { DOMINANT_COLUMN: ['Assault'] } },
  { table: 'mtcars', wanted: { DOMINANT_COLUMN: ['disp'] } },
  { table: 'swiss', wanted: { DOMINANT_COLUMN: ['Catholic'] } },
  { table: 'stackloss', wanted: {} },
  { table: 'attitude', wanted: {} },
  { table: 'longley', wanted: { UNEQUAL_SPREAD: null, ID_COLUMN: ['Year'] } },
  {
    table: 'airquality',
    wanted: { DOMINANT_COLUMN: ['Solar.R'], VALUES_FILLED: ['Ozone', 'Solar.R'], ID_COLUMN: ['Month', 'Day'] },
  },
  { table: 'quakes', wanted: { DOMINANT_COLUMN: ['depth'] } },
  { table: 'rock', wanted: { DOMINANT_COLUMN: ['area'] } },
  { table: 'trees', wanted: {} },
  { table: 'faithful', wanted: { UNEQUAL_SPREAD: null } },
  { table: 'LifeCycleSavings', wanted: { DOMINANT_COLUMN: ['dpi'] } },
  { table: 'Puromycin', wanted: { UNEQUAL_SPREAD: null } },
  { table: 'ChickWeight', wanted: { UNEQUAL_SPREAD: null, CATEGORY_CODES: ['Chick', 'Diet'] } },
  { table: 'infert', wanted: { DOMINANT_COLUMN: ['age'], CATEGORY_CODES: ['stratum', 'pooled.stratum'] } },
  { table: 'esoph', wanted: {} },
  { table: 'warpbreaks', wanted: {} },
  { table: 'volcano', wanted: { ORDERED_COLUMNS: ['V1', 'V61'] } },
  { table: 'cars', wanted: {} },
  { table: 'pressure', wanted: {} },
  { table: 'women', wanted: {} },
  { table: 'anscombe', wanted: { DUPLICATE_COLUMNS: ['x1', 'x2', 'x3'] } },
  // One measurement is left, so there are no spreads to compare.
  { table: 'morley', wanted: { ID_COLUMN: ['Run'], CATEGORY_CODES: ['Expt'] } },
  { table: 'randu', wanted: {} },
  { table: 'freeny', wanted: {} },
  { table: 'beaver1', wanted: { UNEQUAL_SPREAD: null, ID_COLUMN: ['day'] } },
  {
    table: 'OrchardSprays',
    wanted: { ID_COLUMN: ['rowpos'], CATEGORY_CODES: ['colpos'] },
  },
  { table: 'CO2', wanted: { UNEQUAL_SPREAD: null } },
  { table: 'Orange', wanted: { CATEGORY_CODES: ['Tree'] } },
  { table: 'Loblolly', wanted: {}, unsaid: 'Seed is the number of a seed source' },
  { table: 'Theoph', wanted: { UNEQUAL_SPREAD: null, CATEGORY_CODES: ['Subject'] } },
  { table: 'Indometh', wanted: { CATEGORY_CODES: ['Subject'] } },
  { table: 'DNase', wanted: { CATEGORY_CODES: ['Run'] } },
  { table: 'state.x77', wanted: { DOMINANT_COLUMN: ['Area'], SKEWED_COLUMNS: ['Area'] } },
  { table: 'USJudgeRatings', wanted: {} },
  { table: 'ToothGrowth', wanted: { UNEQUAL_SPREAD: null } },
  { table: 'npk', wanted: { DOMINANT_COLUMN: ['yield'], CATEGORY_CODES: ['block'] } },
  { table: 'sleep', wanted: { ID_COLUMN: ['ID'], CATEGORY_CODES: ['group'] } },
  { table: 'Formaldehyde', wanted: {} },
  { table: 'BOD', wanted: {} },
  // The lab's, and scikit-learn's.
  { table: 'wine', wanted: { DOMINANT_COLUMN: ['proline'] } },
  { table: 'penguins', wanted: { DOMINANT_COLUMN: ['body_mass_g'], VALUES_FILLED: null, ID_COLUMN: ['year'] } },
  { table: 'decathlon2', wanted: { DOMINANT_COLUMN: ['X1500m'] } },
];
