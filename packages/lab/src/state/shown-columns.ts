import type { Fitted } from './fit.js';
import { picture } from './picture.js';
import { colourBy, labelColumn } from './view.js';

/** Limits of the text columns that are shown of a row: their number, and their cells, because a column of text is read whole. */
const MAX_TEXTS = 4;
const MAX_TEXT_CELLS = 5e6;

/**
 * The columns that identify a row for a person, in order of display: the column of names, the column of colours, columns of text,
 * then at most `numbers` fitted columns. Pixels of pictures are not listed, because they are not informative.
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

/** The number of fitted columns that are not shown. */
export function unshownColumns({ columns }: Fitted, shown: readonly number[]): number {
  if (picture.value) return 0;
  return columns.filter((column) => !shown.includes(column)).length;
}
