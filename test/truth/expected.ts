/**
 * Public tables, and what a statistician would say of their structure. Written by hand from the meaning of the tables, before the code.
 * A code of `STRUCTURE` that is neither in `must` nor in `may` must not be there.
 */

/** Codes about structure that the tests of this folder check. */
export const STRUCTURE = [
  'ORDERED_ROWS',
  'CONSTANT_SUM',
  'LINEAR_RELATION',
  'NEAR_CONSTANT_COLUMN',
  'DUPLICATE_ROWS',
  'FEW_LEVELS',
  'CORRELATION_MATRIX',
  'SKEWED_COLUMNS',
  'ORDERED_COLUMNS',
  'ID_COLUMN',
] as const;

export type StructureCode = (typeof STRUCTURE)[number];

/** A table, its structure, and the scaling that a statistician would choose. */
export interface Truth {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly must: readonly StructureCode[];
  /** Codes that are defensible, with the reason why they are not demanded. */
  readonly may?: readonly StructureCode[];
  /** `either` if both are defensible. */
  readonly scale: 'unit' | 'none' | 'either';
  /** Columns of numbers that are not fitted. */
  readonly exclude?: readonly string[];
  /** Columns of groups. */
  readonly groups?: readonly string[];
  readonly supplementary?: readonly string[];
}

const R = 'packages/files/test/tables/';
const CORE = 'packages/core/test/fixtures/';
const LAB = 'packages/lab/src/data/';
const HERE = 'test/truth/tables/';

export const TRUTH: readonly Truth[] = [
  // Clean tables.
  // All columns are lengths in cm. Rows are sorted by species, which is not a dependence of neighbours.
  { path: `${R}iris.csv`, must: [], scale: 'none' },
  { path: `${R}USArrests.csv`, must: [], scale: 'unit' },
  { path: `${R}mtcars.csv`, must: [], scale: 'unit' },
  { path: `${R}attitude.csv`, must: [], scale: 'none' },
  { path: `${R}quakes.csv`, must: [], scale: 'unit' },
  // Sorted by one of its columns.
  { path: `${R}trees.csv`, must: [], scale: 'unit' },
  { path: `${R}cars.csv`, must: [], scale: 'unit' },
  { path: `${R}women.csv`, must: [], scale: 'unit' },
  // Long and short waits alternate: neighbours are not alike.
  { path: `${R}faithful.csv`, must: [], scale: 'unit' },
  { path: `${R}LifeCycleSavings.csv`, must: [], scale: 'unit' },
  { path: `${R}randu.csv`, must: [], scale: 'none' },
  { path: `${R}USJudgeRatings.csv`, must: [], scale: 'either' },
  { path: `${R}ToothGrowth.csv`, must: [], scale: 'unit' },
  { path: `${R}warpbreaks.csv`, must: [], scale: 'either' },
  { path: `${CORE}wine.csv`, must: [], scale: 'unit', exclude: ['class', 'cultivar', 'target'] },
  { path: `${CORE}decathlon2.csv`, must: [], scale: 'unit' },
  { path: `${HERE}wood.csv`, must: [], scale: 'either' },
  { path: `${HERE}linnerud.csv`, must: [], scale: 'unit' },
  { path: `${HERE}diabetes.csv`, must: [], scale: 'unit' },
  { path: `${HERE}statecrime.csv`, must: [], scale: 'unit' },
  // Outliers in the first rows are a jump, not a dependence of neighbours.
  { path: `${HERE}hbk.csv`, must: [], scale: 'either' },
  // Districts and days that lie side by side may be alike.
  { path: `${R}swiss.csv`, must: [], may: ['ORDERED_ROWS', 'SKEWED_COLUMNS'], scale: 'either' },
  { path: `${R}stackloss.csv`, must: [], may: ['ORDERED_ROWS'], scale: 'unit' },
  { path: `${HERE}bushfire.csv`, must: [], may: ['ORDERED_ROWS'], scale: 'either' },
  { path: `${HERE}milk.csv`, must: [], may: ['ORDERED_ROWS'], scale: 'unit' },
  { path: `${HERE}varechem.csv`, must: [], may: ['SKEWED_COLUMNS'], scale: 'unit' },
  { path: `${HERE}varespec.csv`, must: [], scale: 'none' },
  // Cover classes from 0 to 9.
  { path: `${HERE}dune.csv`, must: [], may: ['FEW_LEVELS'], scale: 'none' },
  // Pixels of small pictures.
  { path: `${HERE}digits.csv`, must: [], may: ['ORDERED_COLUMNS'], scale: 'none' },

  // Rows in an order.
  { path: `${R}airquality.csv`, must: ['ORDERED_ROWS', 'ID_COLUMN'], scale: 'unit' },
  { path: `${R}beaver1.csv`, must: ['ORDERED_ROWS', 'ID_COLUMN'], may: ['NEAR_CONSTANT_COLUMN'], scale: 'unit' },
  { path: `${R}freeny.csv`, must: ['ORDERED_ROWS'], scale: 'unit' },
  // 16 years are too few to demand it.
  { path: `${R}longley.csv`, must: ['ID_COLUMN'], may: ['ORDERED_ROWS'], scale: 'unit' },
  { path: `${HERE}EuStockMarkets.csv`, must: ['ORDERED_ROWS'], scale: 'either' },
  {
    path: `${HERE}macrodata.csv`,
    must: ['ORDERED_ROWS', 'ID_COLUMN'],
    may: ['LINEAR_RELATION', 'SKEWED_COLUMNS'],
    scale: 'unit',
  },
  // A map of heights: rows and columns are positions.
  { path: `${R}volcano.csv`, must: ['ORDERED_ROWS', 'ORDERED_COLUMNS'], scale: 'none' },
  { path: `${R}ChickWeight.csv`, must: ['ORDERED_ROWS'], may: ['ID_COLUMN'], scale: 'unit' },

  // Columns in an order: spectra.
  {
    path: `${HERE}octane.csv`,
    must: ['ORDERED_COLUMNS'],
    may: ['ORDERED_ROWS'],
    scale: 'none',
    supplementary: ['y'],
  },
  { path: `${CORE}gasoline.csv`, must: ['ORDERED_COLUMNS'], may: ['ORDERED_ROWS'], scale: 'none', exclude: ['octane'] },
  { path: `${HERE}yarn.csv`, must: ['ORDERED_COLUMNS'], may: ['ORDERED_ROWS'], scale: 'none' },

  // Sums, relations, skewed columns, levels, numbers of rows.
  {
    path: `${HERE}glass.csv`,
    must: ['CONSTANT_SUM'],
    may: ['SKEWED_COLUMNS', 'ORDERED_ROWS'],
    scale: 'none',
    exclude: ['RI'],
  },
  {
    path: `${HERE}mammalsleep.csv`,
    must: ['LINEAR_RELATION', 'SKEWED_COLUMNS'],
    scale: 'unit',
  },
  { path: `${HERE}cpus.csv`, must: ['SKEWED_COLUMNS'], may: ['ORDERED_ROWS'], scale: 'unit' },
  { path: `${R}state.x77.csv`, must: ['SKEWED_COLUMNS'], scale: 'unit' },
  { path: `${HERE}breast_cancer.csv`, must: ['SKEWED_COLUMNS'], scale: 'unit' },
  // Tracts that lie side by side are alike.
  { path: `${HERE}Boston.csv`, must: ['SKEWED_COLUMNS'], may: ['ORDERED_ROWS', 'NEAR_CONSTANT_COLUMN'], scale: 'unit' },
  { path: `${HERE}bfi.csv`, must: ['FEW_LEVELS'], scale: 'none' },
  { path: `${HERE}crabs.csv`, must: ['ID_COLUMN'], scale: 'either', groups: ['sp', 'sex'] },
  { path: `${LAB}penguins.csv`, must: ['ID_COLUMN'], scale: 'unit' },
  { path: `${CORE}harman74.csv`, must: ['CORRELATION_MATRIX'], scale: 'either' },
  { path: `${HERE}aircraft.csv`, must: [], may: ['SKEWED_COLUMNS', 'ORDERED_ROWS'], scale: 'unit' },
];

/** Public tables without structure: nothing may be said of them. */
export const CLEAN = TRUTH.filter(({ must, may = [] }) => must.length === 0 && may.length === 0);
