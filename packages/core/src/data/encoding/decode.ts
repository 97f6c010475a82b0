import { ModelError } from '../../errors.js';
import type { Matrix } from '../blocks/matrix.js';
import { RowMatrix } from '../blocks/row-matrix.js';
import { withJson } from '../storage/result-json.js';
import { compositionParts, type Encoding, hasCategories, offsetsOf } from './encoding.js';
import { closure, functionOf, ilrInverse, interpolateLinear } from './transforms.js';

/** A column of the user's table, reconstructed from scores: numbers, or levels with their fitted values. */
export type ReconstructedColumn =
  | { readonly kind: 'number'; readonly name: string; readonly values: Float64Array }
  | {
      readonly kind: 'category';
      readonly name: string;
      /** The level with the largest fitted value; null if it is the level of missing values. */
      readonly levels: readonly (string | null)[];
      /**
       * The fitted value of that level. The table has 1 for the level of a row and 0 for the others; the components approximate
       * these numbers.
       */
      readonly fitted: Float64Array;
    };

/** Receives the values of one row: numbers, and the levels of categories. */
interface RowVisitor {
  number(column: number, value: number): void;
  level(column: number, level: number, fitted: number): void;
}

/**
 * Inverts an encoding. Returns a function that reads a row of encoded columns, and passes the values of the table's columns to
 * `visit`.
 */
export function decoder(encoding: Encoding): (row: Float64Array, visit: RowVisitor) => void {
  const { columns } = encoding;
  const offsets = offsetsOf(encoding);
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
    // The logarithms do not contain the total of a row, so parts are reconstructed as shares.
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

/** Inverts an encoding of columns of numbers. Returns a function that decodes a row. Its result is overwritten by the next row. */
export function numbersDecoder(encoding: Encoding): (row: Float64Array) => Float64Array {
  if (hasCategories(encoding)) {
    throw new ModelError(
      'BAD_MODEL',
      'This model has categories, which are not numbers. Use model.reconstruct(scores): it gives the columns of the table, numbers and levels.',
    );
  }
  const decode = decoder(encoding);
  const out = new Float64Array(encoding.columns.length);
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

/** Decodes rows, for an encoding of columns of numbers. */
export function decodeNumbers(encoding: Encoding, coded: Matrix<Float64Array>): RowMatrix<Float64Array> {
  const { columns } = encoding;
  const data = new Float64Array(coded.rows * columns.length);
  const decode = numbersDecoder(encoding);
  for (let i = 0; i < coded.rows; i++) {
    data.set(decode(coded.data.subarray(i * coded.cols, (i + 1) * coded.cols)), i * columns.length);
  }
  const names = columns.map(({ name }) => name);
  return new RowMatrix(coded.rows, columns.length, data, names);
}

/** Converts rows to columns, for a model without an encoding. */
export function columnsOfRows({ cols, rows, data }: Matrix, names: readonly string[]): ReconstructedColumn[] {
  return Array.from({ length: cols }, (_, j) =>
    withJson({
      kind: 'number',
      name: names[j],
      values: Float64Array.from({ length: rows }, (_, i) => data[i * cols + j]),
    }),
  );
}

/** Decodes rows of encoded columns, which `read` passes to `onRow` one by one. Returns the columns of the table. */
export async function columnsOfEncoding(
  encoding: Encoding,
  read: (onRow: (x: Float64Array) => void) => Promise<void>,
): Promise<ReconstructedColumn[]> {
  const { columns } = encoding;
  const decode = decoder(encoding);
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
