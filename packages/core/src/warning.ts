/** The subject of a warning, for programs. */
export type WarningCode =
  | 'CONSTANT_COLUMN'
  | 'CONSTANT_DATA'
  | 'RANK_BELOW_K'
  | 'SUBSPACE_NOT_UNIQUE'
  | 'AXES_NOT_UNIQUE'
  | 'BELOW_ACCURACY'
  | 'VARIANCE_UNDERFLOW'
  /** A column is so far from zero, or so small, that the differences between its rows have few digits. */
  | 'FEW_DIGITS'
  | 'NOT_WHITENED'
  | 'NOT_CONVERGED'
  | 'NOT_CHECKED'
  /** The criteria for the number of components find no component that stands out from noise. */
  | 'NO_STRUCTURE'
  /** Components were rotated, so their variances are not eigenvalues. */
  | 'ROTATED'
  /** The compared models scale their columns differently. */
  | 'SCALES_DIFFER'
  /** A covariate is a linear combination of the covariates before it. */
  | 'COVARIATE_DROPPED'
  /** An array or a file was changed while it was analysed. */
  | 'SOURCE_CHANGED'
  /** Whole numbers beyond 2^53 were rounded to float64. */
  | 'INTEGERS_ROUNDED'
  /** The machine refused memory or threads, so a slower engine, fewer threads or less memory was used. */
  | 'ENGINE_FALLBACK'
  /** One column has most of the variance of data that were not scaled. */
  | 'DOMINANT_COLUMN'
  /** Standard deviations of data that were not scaled differ more than tenfold. */
  | 'UNEQUAL_SPREAD'
  /** A column numbers or identifies the rows. */
  | 'ID_COLUMN'
  /** The whole numbers of a column look like codes of classes. */
  | 'CATEGORY_CODES'
  /** Columns differ only in offset and scale: |r| > 0.999. */
  | 'DUPLICATE_COLUMNS'
  /** There are at most as many rows as columns. */
  | 'FEW_ROWS'
  /** Most values of a column are 0, and the other values are many different numbers. */
  | 'ZERO_INFLATED'
  /** The rows look like those of a correlation matrix. */
  | 'CORRELATION_MATRIX'
  /** Neighbouring rows are alike, as in a time series, so they are not independent. */
  | 'ORDERED_ROWS'
  /** The columns add up to the same number in every row: parts of a whole. */
  | 'CONSTANT_SUM'
  /** Columns are exact linear combinations of other columns. */
  | 'LINEAR_RELATION'
  /** At least 95 % of the values of a column are the same. */
  | 'NEAR_CONSTANT_COLUMN'
  /** Rows repeat earlier rows. */
  | 'DUPLICATE_ROWS'
  /** Most columns have the same few whole numbers, like answers on a rating scale. */
  | 'FEW_LEVELS'
  /** Columns of numbers above 0 have a long upper tail, which the logarithm removes. */
  | 'SKEWED_COLUMNS'
  /** Neighbouring columns are alike, as in spectra and curves. */
  | 'ORDERED_COLUMNS'
  /** A column of text has a level, such as NA, that often means a missing value. It counts as a value. */
  | 'MISSING_LEVEL'
  /** Missing values were filled in. */
  | 'VALUES_FILLED'
  /** Rows without any value were filled in. */
  | 'EMPTY_ROWS'
  /** More components predicted missing values than the observed values determine. */
  | 'FILLED_WITH_MANY'
  /** Rows with missing values were left out. */
  | 'ROWS_DROPPED'
  /** Values were converted that were not written as plain numbers: TRUE, $1,200, 12 %. */
  | 'VALUES_CONVERTED'
  /** Columns were left out because they are mostly text, or because they have no numbers (`columns: 'numeric'`). */
  | 'COLUMNS_LEFT_OUT';

/** A fact that the user should know about a correct model. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** The facts of the message for programs: columns, counts, causes. */
  readonly details?: Readonly<Record<string, unknown>>;
}
