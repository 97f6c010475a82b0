import { DataError, describeCell, describeValue } from '../../errors.js';
import { type CellBatch, isGap } from '../../table/table.js';
import type { Block } from '../blocks/block.js';
import { type CategoryColumn, compositionParts, type EncodedColumn, type Encoding, offsetsOf } from './encoding.js';
import { RegressionEncoder } from './regression.js';
import { centreLogs, functionOf, ilr, interpolateLinear } from './transforms.js';

/** Numbers per encoded block: few enough to stay in cache, and enough to amortise the overhead of a pass. */
const BLOCK_NUMBERS = 1 << 18;
/** Categories are encoded as sparse rows if at most this share of the columns is not 0. */
const SPARSE_SHARE = 0.1;

/** Returns true if rows are encoded as sparse rows. */
export function isSparse(coding: Encoding, cols: number): boolean {
  return coding.columns.length <= SPARSE_SHARE * cols && everyCellHasLevel(coding);
}

/** Returns true if no cell is ever replaced by the shares of all levels. Sparse rows cannot store the shares. */
function everyCellHasLevel({ columns, missing, unseen }: Encoding): boolean {
  if (missing === 'mean' || unseen === 'mean') return false;
  return missing === 'error' || columns.every((column) => column.kind === 'number' || column.gap !== undefined);
}

/** The part of a batch that is encoded. */
type EncodedCells = Pick<CellBatch, 'rows' | 'columns' | 'rowNumber'>;

/** Encodes batches of a table. Its first columns are those of the encoding; the covariates follow. */
export class TableEncoder {
  readonly #coding: Encoding;
  readonly #offsets: readonly number[];
  readonly #fitted: boolean;
  /** For every category, a map from its levels to their indexes. */
  readonly #levels: readonly (ReadonlyMap<string, number> | undefined)[];
  readonly #parts: readonly number[];
  readonly #regression: RegressionEncoder | undefined;
  readonly #sparse: boolean;
  readonly #height: number;

  /** `fitted`: levels that are not in the encoding have no weight in the fit, and are not refused. */
  constructor(coding: Encoding, fitted = false) {
    this.#coding = coding;
    this.#offsets = offsetsOf(coding);
    this.#fitted = fitted;
    const count = coding.columns.length;
    const cols = this.#offsets[count];
    this.#sparse = isSparse(coding, cols);
    this.#height = Math.max(1, Math.floor(BLOCK_NUMBERS / (this.#sparse ? 2 * count : cols)));
    this.#levels = coding.columns.map((column) =>
      column.kind === 'category' ? new Map(column.levels.map((level, at) => [level, at])) : undefined,
    );
    this.#parts = compositionParts(coding.columns);
    this.#regression = coding.regression && new RegressionEncoder(coding.regression, coding.unseen);
  }

  /** The rows as blocks of encoded columns; a large batch becomes several blocks. */
  *encode(batch: EncodedCells): Generator<Block, void, void> {
    for (let from = 0; from < batch.rows; from += this.#height) {
      const to = Math.min(batch.rows, from + this.#height);
      yield this.#sparse ? this.#sparseBlock(batch, from, to) : this.#denseBlock(batch, from, to);
    }
  }

  #denseBlock(batch: EncodedCells, from: number, to: number): Block {
    const { columns } = this.#coding;
    const cols = this.#offsets[columns.length];
    const rows = to - from;
    const data = new Float64Array(rows * cols);
    columns.forEach((column, j) => {
      const offset = this.#offsets[j];
      if (this.#parts.includes(j)) return;
      const cellOf = batch.columns[j];
      for (let i = 0; i < rows; i++) {
        const cell = cellOf(from + i);
        const at = i * cols + offset;
        const row = batch.rowNumber(from + i);
        if (column.kind === 'number') data[at] = this.#number(cell, column, row, j);
        else {
          const level = this.#level(cell, column, row, j);
          if (level >= 0) data[at + level] = 1;
          else for (let l = 0; l < column.shares.length; l++) data[at + l] = column.shares[l];
        }
      }
    });
    if (this.#parts.length > 0) this.#composition(batch, from, to, data, cols);
    this.#regression?.takeOut(data, batch, from, to, columns.length);
    return { kind: 'dense', rows, cols, stride: cols, data };
  }

  /** Encodes categories of many levels: one entry per input column and row. */
  #sparseBlock(batch: EncodedCells, from: number, to: number): Block {
    const { columns } = this.#coding;
    const rows = to - from;
    const [count, cols] = [columns.length, this.#offsets[columns.length]];
    const [indices, data] = [new Int32Array(rows * count), new Float64Array(rows * count)];
    columns.forEach((column, j) => {
      const cellOf = batch.columns[j];
      for (let i = 0; i < rows; i++) {
        const cell = cellOf(from + i);
        const row = batch.rowNumber(from + i);
        const at = i * count + j;
        const level = column.kind === 'number' ? 0 : this.#level(cell, column, row, j);
        // A level that has no weight in the fit belongs to a row without weight.
        indices[at] = this.#offsets[j] + Math.max(0, level);
        data[at] = column.kind === 'number' ? this.#number(cell, column, row, j) : level < 0 ? 0 : 1;
      }
    });
    const indptr = Int32Array.from({ length: rows + 1 }, (_, i) => i * count);
    return { kind: 'sparse', rows, cols, indptr, indices, data };
  }

  #number(cell: unknown, column: EncodedColumn & { kind: 'number' }, row: number, j: number): number {
    const value = this.#value(cell, row, j);
    if (value === undefined) {
      if (this.#coding.missing !== 'error' && column.mean !== undefined) return column.mean;
      // The column statistics report missing numbers with a better message.
      if (this.#coding.method === 'pca') return Number.NaN;
      throw missingCell(row, j, this.#coding);
    }
    if (column.transform === 'rank') {
      if (!Number.isFinite(value)) return value;
      return interpolateLinear(value, column.values as readonly number[], column.ranks as readonly number[]);
    }
    const { of, accepts } = functionOf(column.transform);
    if (!accepts(value)) throw outOfRange(value, row, j, this.#coding.columns);
    return of(value);
  }

  #value(cell: unknown, row: number, j: number): number | undefined {
    if (isGap(cell)) return undefined;
    if (typeof cell === 'number') return cell;
    throw notNumeric(cell, row, j, this.#coding.columns);
  }

  /** The index of the level of a cell; −1 if the shares of all levels replace it. */
  #level(cell: unknown, column: CategoryColumn, row: number, j: number): number {
    const text = levelOf(cell, row, j, this.#coding.columns);
    if (text === undefined) {
      if (this.#coding.missing === 'error') throw missingCell(row, j, this.#coding);
      return column.gap ?? -1;
    }
    const level = this.#levels[j]?.get(text);
    // The names of the levels for pooled and missing values are not levels of the table.
    if (level !== undefined && level !== column.gap && level !== column.other) return level;
    if (column.other !== undefined) return column.other;
    if (this.#coding.unseen === 'mean' || this.#fitted) return -1;
    const some = column.levels.slice(0, 5).map((name) => describeValue(name));
    throw new DataError(
      'BAD_DATA',
      `${cellAt(row, j, this.#coding.columns)} holds ${describeValue(text)}, a level that the fit did not see. Its levels are ${some.join(', ')}${column.levels.length > 5 ? ', …' : ''}. Fit with unseen: 'mean' to count such values as the average, or with rare to pool rare and new levels.`,
      { row, column: j, columnName: column.name, value: text, reason: 'unseen-level' },
    );
  }

  /** Computes clr or ilr of the parts of every row. */
  #composition(batch: EncodedCells, from: number, to: number, data: Float64Array, cols: number): void {
    const { columns } = this.#coding;
    const parts = this.#parts;
    const isometric = (columns[parts[0]] as { transform: string }).transform === 'ilr';
    const logs = new Float64Array(parts.length);
    const coordinates = new Float64Array(parts.length - 1);
    const { of, accepts } = functionOf('clr');
    for (let i = 0; i < to - from; i++) {
      const row = batch.rowNumber(from + i);
      parts.forEach((j, p) => {
        const value = this.#value(batch.columns[j](from + i), row, j) ?? Number.NaN;
        if (!Number.isNaN(value) && !accepts(value)) throw outOfRange(value, row, j, columns);
        logs[p] = of(value);
      });
      if (isometric) ilr(logs, coordinates);
      else centreLogs(logs);
      parts.forEach((j, p) => {
        if (!isometric) data[i * cols + this.#offsets[j]] = logs[p];
        else if (p > 0) data[i * cols + this.#offsets[j]] = coordinates[p - 1];
      });
    }
  }
}

/** The text of a cell of a category; undefined if it is missing. */
export function levelOf(
  cell: unknown,
  row: number,
  j: number,
  columns: readonly { readonly name: string }[],
): string | undefined {
  if (isGap(cell)) return undefined;
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number' || typeof cell === 'boolean' || typeof cell === 'bigint') return String(cell);
  throw new DataError(
    'BAD_DATA',
    `${cellAt(row, j, columns)} holds ${describeValue(cell)}, which is not a level. Levels are texts, numbers or booleans.`,
    {
      row,
      column: j,
      columnName: columns[j].name,
    },
  );
}

export function notNumeric(
  cell: unknown,
  row: number,
  j: number,
  columns: readonly { readonly name: string }[],
): DataError {
  return new DataError(
    'NOT_A_NUMBER',
    `${cellAt(row, j, columns)} holds ${describeValue(cell)}, and the column holds numbers. If it is a category, name it in \`categories\`.`,
    { row, column: j, columnName: columns[j].name, value: cell },
  );
}

function missingCell(row: number, j: number, { columns }: Encoding): DataError {
  return new DataError(
    'MISSING_VALUES',
    `${cellAt(row, j, columns)} has no value. Use missing: 'mean' to count gaps as the average, missing: 'level' to make them a level of their category, or missing: 'drop' to leave such rows out of the fit.`,
    { row, column: j, columnName: columns[j].name, reason: 'missing-cell' },
  );
}

export function outOfRange(value: number, row: number, j: number, columns: readonly EncodedColumn[]): DataError {
  const { transform } = columns[j] as { transform: 'log1p' };
  return new DataError('OUT_OF_RANGE', `${cellAt(row, j, columns)} holds ${value}. ${functionOf(transform).must}.`, {
    row,
    column: j,
    columnName: columns[j].name,
    value,
    expected: transform,
    reason: 'transform',
  });
}

/** "Row 3, column 2", or "Row 3, column "height"" if columns have names. */
function cellAt(row: number, j: number, columns: readonly { readonly name: string }[]): string {
  const named = columns[j].name !== String(j);
  const text = describeCell(row, j, named ? columns.map(({ name }) => name) : undefined);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
