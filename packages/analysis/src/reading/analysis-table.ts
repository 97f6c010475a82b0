import type { Encoding, PcaOptions, RowSource } from '@scree/core';
import { type Block, mapAsync } from '@scree/core/data';

/** Rows of a table, and what stands beside them. */
export interface TablePart {
  readonly block: Block;
  /** The indexes of the rows in the table, counted from 0. Rows that were left out have no part here. */
  readonly places: readonly number[];
  /** Names of the rows. null for a row without a name. Undefined if no column names the rows. */
  readonly names: readonly (string | null)[] | undefined;
  /** The supplementary columns of the same rows, packed; A missing value is NaN. */
  readonly columns: Float64Array;
  /** One list of labels per column of groups. null for a row without a label. */
  readonly groups: readonly (readonly (string | null)[])[];
}

/** A table to analyse: the rows of the fit, and what stands beside them. Files, databases and data in memory all become one. */
export interface AnalysisTable {
  /** The rows of the fit, encoded if there is an encoding. */
  readonly source: RowSource;
  /** Names of the columns that are analysed, as people call them. */
  readonly columns: readonly string[];
  /** How the table became the columns of `source`, if it was not just numbers. */
  readonly coding?: Encoding | undefined;
  /** Options with which PCA of `source` is the method that the encoding was made for. */
  readonly fit?: Pick<PcaOptions, 'k' | 'scale' | 'ddof'> | undefined;
  /** The column that names the rows. */
  readonly label?: string | undefined;
  /** Names of the supplementary columns, and of the columns of groups. */
  readonly supplementary: readonly string[];
  readonly groups: readonly string[];
  /** Rows that have no part in the fit. */
  readonly supplementaryRows?: AnalysisTable | undefined;
  /** Columns that are not analysed, and why. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
  /** Rows that were left out because values are missing, once the rows were read. */
  readonly dropped: number;
  /** The parts of the table, if these are moments that were merged. */
  readonly merged?: readonly object[];
  /** The indexes in the table of rows of `source`, if they differ from the indexes in `source`. Reads nothing if no row was dropped. */
  placesOf?(rows: readonly number[]): Promise<readonly number[]>;
  /** The rows with their names, groups and supplementary columns, in one reading. Undefined if they have none. */
  parts?(): AsyncIterable<TablePart>;
}

/** True if the table has names, groups or supplementary columns, which only `parts` reads. */
function hasMore({ label, supplementary, groups, dropped }: AnalysisTable): boolean {
  return label !== undefined || supplementary.length > 0 || groups.length > 0 || dropped > 0;
}

/**
 * The rows with their names, groups and supplementary columns, in one reading. If they have none, they come from `source`, which may have
 * kept them in memory. With `parts`, they come from the table in any case, which may be readable only once.
 */
export function readParts(table: AnalysisTable, source: RowSource, parts = false): AsyncIterable<TablePart> {
  if (table.parts && (parts || hasMore(table)) && (parts || table.source.rereadable)) return table.parts();
  return partsOf(source, table.dropped === 0 ? table : undefined);
}

/** The blocks of a source as parts with nothing beside them. */
export function partsOf(source: RowSource, table?: Pick<AnalysisTable, 'placesOf'>): AsyncIterable<TablePart> {
  const none = new Float64Array(0);
  let first = 0;
  return mapAsync(source.blocks(), async (block) => {
    const start = first;
    first += block.rows;
    const rows = Array.from({ length: block.rows }, (_, i) => start + i);
    const places = (await table?.placesOf?.(rows)) ?? rows;
    return { block, places, names: undefined, columns: none, groups: [] };
  });
}
