import type { Encoding, PcaOptions, RowSource } from '@scree/core';
import { type Block, mapAsync } from '@scree/core/data';

/** Rows of a table, and what stands beside them. */
export interface TablePart {
  readonly block: Block;
  /** Where the rows are in the table, counted from 0. Rows that were left out have no part here. */
  readonly places: readonly number[];
  /** Their names; null where a row has none. Undefined if no column names the rows. */
  readonly names: readonly (string | null)[] | undefined;
  /** The supplementary columns of the same rows, packed; NaN where a value is missing. */
  readonly columns: Float64Array;
  /** One list of labels per column of groups; null where a row has none. */
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
  /** Where rows of `source` are in the table, if that is not where they are in `source`. Reads nothing if no row was dropped. */
  placesOf?(rows: readonly number[]): Promise<readonly number[]>;
  /** The rows with what stands beside them, in one reading. Undefined if there is nothing beside them. */
  parts?(): AsyncIterable<TablePart>;
}

/** True if something stands beside the rows that only `parts` has. */
function hasMore({ label, supplementary, groups, dropped }: AnalysisTable): boolean {
  return label !== undefined || supplementary.length > 0 || groups.length > 0 || dropped > 0;
}

/**
 * The rows and what stands beside them, in one reading. Rows that have nothing beside them come from `source`, which may have kept
 * them in memory. `parts`: take them from the table all the same, which may be read only once.
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
