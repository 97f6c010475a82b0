/** Returns true for a missing value: null, undefined, '' and NaN. This is the rule for every form of data. */
export function isGap(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '' || Number.isNaN(cell);
}
