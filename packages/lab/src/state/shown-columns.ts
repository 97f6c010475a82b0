import type { Fitted } from './fit.js';
import { picture } from './picture.js';
import { colourBy, labelColumn } from './view.js';

/** Text columns shown of a row, and most cells that are read for them: a column of text is read whole. */
const MAX_TEXTS = 4;
const MAX_TEXT_CELLS = 5e6;

/**
 * The columns by which a person knows a row, in the order in which they are shown: the one that names it, the one that colours it,
 * columns of text; then at most `numbers` of those that were fitted. Single pixels of pictures are not informative.
 */
export function shownColumns(now: Fitted, numbers: number): readonly number[] {
  const { columns, rows } = now.data.info;
  const by = colourBy.value;
  const label = labelColumn.value;
  const some = Math.min(MAX_TEXTS, Math.floor(MAX_TEXT_CELLS / rows));
  const texts = columns.flatMap(({ kind }, j) => (kind === 'text' ? [j] : [])).slice(0, some);
  const first = new Set([...(label === undefined ? [] : [label]), ...(typeof by === 'number' ? [by] : []), ...texts]);
  const measured = picture.value ? [] : now.columns.filter((column) => !first.has(column));
  return [...first].filter((column) => column < columns.length).concat(measured.slice(0, numbers));
}

/** How many fitted columns are not among those shown. */
export function unshownColumns({ columns }: Fitted, shown: readonly number[]): number {
  if (picture.value) return 0;
  return columns.filter((column) => !shown.includes(column)).length;
}
