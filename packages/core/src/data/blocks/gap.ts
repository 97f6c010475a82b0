/** Returns true for a missing value: null, undefined, '' and NaN. This is the rule for every form of data. */
export function isGap(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '' || Number.isNaN(cell);
}

/**
 * How missing values are read: as errors, as NaN, or as NaN where a record has the key. Rows to be transformed need every key, because a
 * misspelled name would otherwise be a column without values.
 */
export type GapReading = boolean | 'with-keys';
