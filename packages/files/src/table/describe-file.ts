import { showBytes } from '../bytes/show-bytes.js';
import type { DataFile } from './data-file.js';

interface Counts {
  /** Columns of numbers, and of categories. */
  readonly cols: number;
  readonly categories: number;
  readonly dropped: number;
  /** Supplementary rows, where they are known. */
  readonly supplementary: number | undefined;
}

/** A file in one line: format, shape, size, and what was left out. */
export function describeFile(
  path: string,
  { source, bytes, rows: counted, leftOut, format }: Pick<DataFile, 'source' | 'bytes' | 'rows' | 'leftOut' | 'format'>,
  { cols: numbers, categories, dropped, supplementary }: Counts,
): string {
  const cols = numbers + categories;
  const size = bytes === undefined ? [] : [showBytes(bytes)];
  const rows = counted === undefined ? 'rows not counted yet' : `${counted} ${counted === 1 ? 'row' : 'rows'}`;
  const names = leftOut.map(({ name, why }) => `${name} (${why})`);
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
  return `${path}: ${[format, shape, ...(categories === cols ? [] : [source.dtype]), ...size].join(', ')}${apart}${gaps}${left}`;
}
