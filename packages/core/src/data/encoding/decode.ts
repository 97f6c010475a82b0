import { ModelError } from '../../errors.js';
import type { Matrix } from '../blocks/matrix.js';
import { RowMatrix } from '../blocks/row-matrix.js';
import { withJson } from '../storage/result-json.js';
import { compositionParts, type Encoding, hasCategories, offsetsOf } from './encoding.js';
import { closure, functionOf, ilrInverse, interpolateLinear } from './transforms.js';

/** A column of the user's table, from scores: numbers, or levels with their fitted values. */
export type ReconstructedColumn =
  | { readonly kind: 'number'; readonly name: string; readonly values: Float64Array }
  | {
      readonly kind: 'category';
      readonly name: string;
      /** The level with the largest fitted value; null where that stands for gaps. */
      readonly levels: readonly (string | null)[];
      /** That value: 1 and 0 in the table, and whatever the components make of them here. */
      readonly fitted: Float64Array;
    };

/** Receives the values of one row: those of numbers, and the level of categories. */
interface RowVisitor {
  number(column: number, value: number): void;
  level(column: number, level: number, fitted: number): void;
}

/** Undoes a coding: reads rows of encoded columns and gives the values of the table's own columns. */
export function decoder(coding: Encoding): (row: Float64Array, visit: RowVisitor) => void {
  const { columns } = coding;
  const offsets = offsetsOf(coding);
  const parts = compositionParts(columns);
  const logs = new Float64Array(parts.length);
  const coordinates = new Float64Array(Math.max(0, parts.length - 1));
  const first = columns[parts[0]];
  const isometric = first?.kind === 'number' && first.transform === 'ilr';
  return (row, visit) => {
    if (isometric) {
      for (let p = 1; p < parts.length; p++) coordinates[p - 1] = row[offsets[parts[p]]];
      ilrInverse(coordinates, logs);
    } else
      parts.forEach((j, p) => {
        logs[p] = row[offsets[j]];
      });
    // The total of a row is not in its logarithms: parts come back as shares.
    closure(logs);
    let part = 0;
    columns.forEach((column, j) => {
      const at = offsets[j];
      if (column.kind === 'category') {
        let best = 0;
        for (let l = 1; l < column.levels.length; l++) if (row[at + l] > row[at + best]) best = l;
        visit.level(j, best, row[at + best]);
      } else if (column.transform === 'clr' || column.transform === 'ilr') visit.number(j, logs[part++]);
      else if (column.transform === 'rank') {
        visit.number(
          j,
          interpolateLinear(row[at], column.ranks as readonly number[], column.values as readonly number[]),
        );
      } else visit.number(j, functionOf(column.transform).inverse(row[at]));
    });
  };
}

/** Turns a row of encoded columns into one of the table's own, which must all be numbers. The array is used again for the next row. */
export function numbersDecoder(coding: Encoding): (row: Float64Array) => Float64Array {
  if (hasCategories(coding)) {
    throw new ModelError(
      'BAD_MODEL',
      'This model has categories, which are no numbers. Use model.reconstruct(scores): it gives the columns of the table, numbers and levels.',
    );
  }
  const decode = decoder(coding);
  const out = new Float64Array(coding.columns.length);
  const visitor: RowVisitor = {
    number: (j, value) => {
      out[j] = value;
    },
    level: () => {},
  };
  return (row) => {
    decode(row, visitor);
    return out;
  };
}

/** Rows of encoded columns as rows of the table's own, where these are all numbers. */
export function decodeNumbers(coding: Encoding, coded: Matrix<Float64Array>): RowMatrix<Float64Array> {
  const { columns } = coding;
  const data = new Float64Array(coded.rows * columns.length);
  const decode = numbersDecoder(coding);
  for (let i = 0; i < coded.rows; i++) {
    data.set(decode(coded.data.subarray(i * coded.cols, (i + 1) * coded.cols)), i * columns.length);
  }
  const names = columns.map(({ name }) => name);
  return new RowMatrix(coded.rows, columns.length, data, names);
}

/** Rows as columns, for a model without an encoding. */
export function columnsOfRows({ cols, rows, data }: Matrix, names: readonly string[]): ReconstructedColumn[] {
  return Array.from({ length: cols }, (_, j) =>
    withJson({
      kind: 'number',
      name: names[j],
      values: Float64Array.from({ length: rows }, (_, i) => data[i * cols + j]),
    }),
  );
}

/** The columns of the table from rows of encoded columns, which `read` hands on one after the other. */
export async function columnsOfEncoding(
  coding: Encoding,
  read: (onRow: (x: Float64Array) => void) => Promise<void>,
): Promise<ReconstructedColumn[]> {
  const { columns } = coding;
  const decode = decoder(coding);
  const values: number[][] = columns.map(() => []);
  const levels: (string | null)[][] = columns.map(() => []);
  const visitor = {
    number: (j: number, value: number): void => {
      values[j].push(value);
    },
    level: (j: number, level: number, fitted: number): void => {
      const column = columns[j];
      if (column.kind === 'category') levels[j].push(level === column.gap ? null : column.levels[level]);
      values[j].push(fitted);
    },
  };
  await read((x) => decode(x, visitor));
  return columns.map(({ kind, name }, j) => {
    const numbers = Float64Array.from(values[j]);
    return withJson<ReconstructedColumn>(
      kind === 'number' ? { kind, name, values: numbers } : { kind, name, levels: levels[j], fitted: numbers },
    );
  });
}
