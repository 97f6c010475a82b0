/** What a warning is about, for programs. */
export type WarningCode =
  | 'CONSTANT_COLUMN'
  | 'CONSTANT_DATA'
  | 'RANK_BELOW_K'
  | 'SUBSPACE_NOT_UNIQUE'
  | 'AXES_NOT_UNIQUE'
  | 'BELOW_ACCURACY'
  | 'VARIANCE_UNDERFLOW'
  /** Columns so far from zero, or so small, that few digits are left for what differs from row to row. */
  | 'FEW_DIGITS'
  | 'NOT_WHITENED'
  | 'NOT_CONVERGED'
  | 'NOT_CHECKED'
  /** No component stands out of noise, by the criteria that were asked to choose their number. */
  | 'NO_STRUCTURE'
  /** Components were rotated: their variances are not eigenvalues. */
  | 'ROTATED'
  /** Models that are compared scale their columns differently. */
  | 'SCALES_DIFFER'
  /** A covariate adds nothing to those before it. */
  | 'COVARIATE_DROPPED'
  /** The data were changed while they were analysed: an array, or a file. */
  | 'SOURCE_CHANGED'
  /** Whole numbers beyond 2^53 were rounded to float64. */
  | 'INTEGERS_ROUNDED'
  /** A slower engine, fewer threads or less memory was used than usual, because the machine refused more. */
  | 'ENGINE_FALLBACK'
  /** One column holds most of the variance of data that were not scaled. */
  | 'DOMINANT_COLUMN'
  /** Standard deviations of data that were not scaled differ more than tenfold. */
  | 'UNEQUAL_SPREAD'
  /** A column numbers or identifies the rows. */
  | 'ID_COLUMN'
  /** Whole numbers of a column look like codes of classes. */
  | 'CATEGORY_CODES'
  /** Columns that are the same but for offset and scale: |r| > 0.999. */
  | 'DUPLICATE_COLUMNS'
  /** There are no more rows than columns. */
  | 'FEW_ROWS'
  /** Most values of a column are 0, and the others are many different numbers. */
  | 'ZERO_INFLATED'
  /** The rows look like a correlation matrix, and not like rows of data. */
  | 'CORRELATION_MATRIX'
  /** Missing values were filled in. */
  | 'VALUES_FILLED'
  /** Rows with missing values were left out. */
  | 'ROWS_DROPPED'
  /** Values were not written as plain numbers: TRUE, $1,200, 12 %. */
  | 'VALUES_CONVERTED'
  /** Columns were left out: those that are mostly text, or with `columns: 'numeric'` those that hold no number. */
  | 'COLUMNS_LEFT_OUT';

/** A fact that the user should know about a model that is otherwise correct. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** The same for programs: which columns, how many values, which cause. */
  readonly details?: Readonly<Record<string, unknown>>;
}
