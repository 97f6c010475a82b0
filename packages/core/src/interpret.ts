/** What the components mean: columns, rows, and columns and groups that had no part in the fit. */

export { type ColumnContribution, columnContributions } from './analysis/column-contributions.js';
export type { Point } from './analysis/convex-hull.js';
export { type Ellipse, type EllipseOptions, groupEllipse } from './analysis/ellipse.js';
export type { GroupLevel, Groups, Hull } from './analysis/groups.js';
export type { RowContributions } from './analysis/row-contributions.js';
export type { SupplementaryColumn } from './analysis/supplementary-columns.js';
export {
  rowContributionBlocks,
  rowContributions,
  type SupplementaryRows,
  supplementaryRows,
} from './row-contributions.js';
export type { RowOptions } from './scored-blocks.js';
export {
  type Label,
  type RowLabels,
  type Supplementary,
  type SupplementaryOptions,
  supplementary,
} from './supplementary.js';
