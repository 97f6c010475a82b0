import { showBytes } from '../bytes/show-bytes.js';
import type { FileRows } from './file-rows.js';

/** A file in one line: format, shape, size, and what was left out. `supplementary` is the number of such rows, if it is known. */
export function describeFile(
  { table, roles, facts, rows: counted, dropped }: FileRows,
  supplementary: number | undefined,
): string {
  const { path, bytes } = facts;
  const categories = roles.categories.length;
  const cols = roles.cols + categories;
  const size = bytes === undefined ? [] : [showBytes(bytes)];
  const rows = counted === undefined ? 'rows not counted yet' : `${counted} ${counted === 1 ? 'row' : 'rows'}`;
  const names = roles.leftOut.map(({ name, why }) => `${name} (${why})`);
  const some = names.length > 8 ? [...names.slice(0, 8), `${names.length - 8} more`] : names;
  const left = names.length === 0 ? '' : `; left out: ${some.join(', ')}`;
  const gaps = dropped === 0 ? '' : `; ${dropped} more with missing values ${dropped === 1 ? 'was' : 'were'} left out`;
  const apart =
    supplementary === undefined ? '' : `; ${supplementary} supplementary ${supplementary === 1 ? 'row' : 'rows'}`;
  const kinds =
    categories === 0
      ? ''
      : ` (${categories === cols ? 'categories' : `${categories} of them ${categories === 1 ? 'a category' : 'categories'}`})`;
  const shape = `${rows} × ${cols} ${cols === 1 ? 'column' : 'columns'}${kinds}`;
  return `${path}: ${[table.format, shape, ...(categories === cols ? [] : [table.dtype(roles.used)]), ...size].join(', ')}${apart}${gaps}${left}`;
}
