import type { AnalysisTable, OtherColumns, RowsOfTable, TablePart } from '@scree/analysis';
import type { Matrix, NumberArray } from '@scree/core';
import { openSource } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';

/** Rows of a part: names and row numbers are lists, which need memory of their own. */
const ROWS = 2 ** 14;

/** A fit in the worker's memory, and what stands beside its rows. */
export interface TableInMemory {
  readonly matrix: Matrix<NumberArray>;
  /** Names of the fitted columns, as people call them. */
  readonly columns: readonly string[];
  /** The rows of the fit as rows of the table. */
  readonly rows: RowsOfTable;
  /** Rows that were left out because values are missing. */
  readonly dropped: number;
  readonly others: OtherColumns;
  /** The column that names the rows: its name, and a name per row of the table. */
  readonly label?: { readonly name: string; readonly texts: readonly (string | null)[] } | undefined;
}

/** The fit as a table for `analyzeTable`. */
export async function analysisTable(given: TableInMemory): Promise<AnalysisTable> {
  const { matrix, columns, dropped, others, label } = given;
  return {
    source: await openSource(matrix, new ProgressTracker({})),
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
  const { cols, data } = matrix;
  const { groups, numbers } = others;
  for (let from = 0; from < matrix.rows; from += ROWS) {
    const count = Math.min(ROWS, matrix.rows - from);
    const places = Array.from({ length: count }, (_, i) => rows.at(from + i));
    yield {
      block: { kind: 'dense', rows: count, cols, stride: cols, data: data.subarray(from * cols) },
      places,
      names: label && places.map((place) => label.texts[place]),
      columns: Float64Array.from({ length: count * numbers.length }, (_, at) =>
        numbers[at % numbers.length].at(from + Math.floor(at / numbers.length)),
      ),
      groups: groups.map(({ labels }) => labels.slice(from, from + count)),
    };
  }
}
