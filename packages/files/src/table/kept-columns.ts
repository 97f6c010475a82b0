import { type Block, mapAsync, repeatColumns, rowNumberOf, type Table, type Text } from '@scree/core/data';
import type { ColumnRoles } from './column-roles.js';
import type { PartRoles } from './file-view.js';
import { splitColumns } from './supplementary-blocks.js';

/** A column of the file that is kept beside the analysed ones, as a number or as text. */
export interface KeptColumn {
  readonly name: string;
  readonly kind: 'number' | 'text';
}

/** Rows with all columns of the file. */
export interface KeptBlock {
  /** The analysed columns. */
  readonly block: Block;
  /** The numbers of the rows in the file, from 0. */
  readonly places: readonly number[];
  /** The kept columns of numbers, packed; NaN if a value is missing. */
  readonly numbers: Float64Array;
  /** One list per kept column of text, as the file has it; null if a value is missing. */
  readonly texts: readonly (readonly Text[])[];
}

/** Every column of the file beside the analysed ones, in the order of the file. */
export interface KeptColumns {
  readonly columns: readonly KeptColumn[];
  /** The rows, in one reading. A block is valid until the next one is read. */
  blocks(): AsyncIterable<KeptBlock>;
}

/** The columns that are kept, by their indexes in the table that repeats its numbers. */
export interface KeptIndexes {
  readonly columns: readonly KeptColumn[];
  readonly numbers: readonly number[];
  readonly texts: readonly number[];
  readonly verbatim: readonly number[];
}

/** Decides how each column is kept, and repeats the columns of numbers, so that steps that fill missing values leave them alone. */
export function keepColumns(table: Table, as: 'text' | 'numbers'): { table: Table; kept: KeptIndexes } {
  // The numbers of an array have no text.
  const asText = as === 'text' && !table.uniform;
  const { columns, width } = table;
  const kinds = columns.map(({ name, kind }): KeptColumn => {
    return { name, kind: kind === 'number' && !asText ? 'number' : 'text' };
  });
  const of = (wanted: KeptColumn['kind']): number[] => [...kinds.keys()].filter((j) => kinds[j].kind === wanted);
  const repeated = of('number');
  const texts = of('text');
  return {
    table: repeated.length === 0 ? table : repeatColumns(table, repeated),
    kept: {
      columns: kinds,
      numbers: repeated.map((_, i) => width + i),
      texts: table.verbatim ? [] : texts,
      verbatim: table.verbatim ? texts : [],
    },
  };
}

/** The roles in the table that repeats columns, which does not have only analysed ones. */
export function rolesBeside(roles: ColumnRoles): ColumnRoles {
  if (roles.used !== 'all') return roles;
  const used = [...Array(roles.cols).keys()];
  return { ...roles, used, usedAndWeight: used };
}

/** The rows of a table of parts with the kept columns, by their indexes in it. */
export function keptColumns(
  table: Table,
  { used, cols }: Pick<PartRoles, 'used' | 'cols'>,
  { columns, numbers, texts, verbatim }: KeptIndexes,
): KeptColumns {
  const analysed = used === 'all' ? [...Array(cols).keys()] : used;
  return {
    columns,
    blocks: () => {
      let first = 0;
      const request = { numbers: [...analysed, ...numbers], texts, ...(verbatim.length > 0 ? { verbatim } : {}) };
      return mapAsync(table.read(request), (batch) => {
        const start = first;
        const { rows } = batch.block;
        first += rows;
        const { block, columns: beside } = splitColumns(batch.block, cols);
        return {
          block,
          places: Array.from({ length: rows }, (_, i) => rowNumberOf(batch, i, start)),
          numbers: beside,
          texts: batch.texts,
        };
      });
    },
  };
}
