import type { AnalysisTable, OtherColumns, RowsOfTable, TablePart } from '@scree/analysis';
import type { Matrix, NumberArray } from '@scree/core';
import { matrixSource } from '@scree/core/data';
import { matrixBlocks } from './memory-table.js';

/** Rows of a part. Names and row numbers are lists that need extra memory, so parts are short. */
const PART_ROWS = 2 ** 14;

/** The rows of a fit in the worker's memory, and the other columns of the same rows. */
export interface TableInMemory {
  readonly matrix: Matrix<NumberArray>;
  /** Names of the fitted columns, as people call them. */
  readonly columns: readonly string[];
  /** The rows of the fit as rows of the table. */
  readonly rows: RowsOfTable;
  /** Rows that were left out because values are missing. */
  readonly dropped: number;
  readonly others: OtherColumns;
  /** The column that names the rows: its name, and a text per row of the table. */
  readonly label?: { readonly name: string; readonly texts: readonly (string | null)[] } | undefined;
}

/** The rows of a fit as a table for `analyzeTable`. */
export function analysisTable(given: TableInMemory): AnalysisTable {
  const { matrix, columns, dropped, others, label } = given;
  return {
    source: matrixSource(matrix),
    columns,
    ...(label ? { label: label.name } : {}),
    supplementary: others.numbers.map(({ name }) => name),
    groups: others.groups.map(({ name }) => name),
    leftOut: [],
    dropped,
    parts: () => partsOf(given),
  };
}

async function* partsOf({ matrix, rows, others, label }: TableInMemory): AsyncGenerator<TablePart, void, void> {
  const { groups, numbers } = others;
  let from = 0;
  for (const block of matrixBlocks(matrix, PART_ROWS)) {
    const [start, count] = [from, block.rows];
    from += count;
    const places = Array.from({ length: count }, (_, i) => rows.at(start + i));
    yield {
      block,
      places,
      names: label && places.map((place) => label.texts[place]),
      columns: Float64Array.from({ length: count * numbers.length }, (_, at) =>
        numbers[at % numbers.length].at(start + Math.floor(at / numbers.length)),
      ),
      groups: groups.map(({ labels }) => labels.slice(start, start + count)),
    };
  }
}
