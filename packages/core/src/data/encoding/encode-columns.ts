import { mapAsync } from '../../base/map-async.js';
import {
  type CellBatch,
  changeTable,
  type ReadRequest,
  readCells,
  rowNumberOf,
  type Table,
  type TableBatch,
  type TableColumn,
} from '../../table/table.js';
import type { Block, DenseBlock, SparseBlock } from '../blocks/block.js';
import { blockColumns } from '../blocks/block-rows.js';
import { type Encoding, encodedNames, inputWidth, offsetsOf } from './encoding.js';
import { isSparse, outOfRange, TableEncoder } from './table-encoder.js';
import { functionOf, keepsZero } from './transforms.js';

/** What an encoding is applied to. */
export interface EncodeColumnsOptions {
  /** The columns that are encoded, then the covariates, by their indexes. The first columns if left out. */
  readonly inputs?: readonly number[];
  /** Columns of the table that follow the encoded ones, by their indexes. None if left out. */
  readonly others?: readonly number[];
  /** True for the rows of the fit: levels that are not in the encoding have no weight there, and are not refused. */
  readonly fitted?: boolean;
}

/**
 * The table with some columns encoded: categories, transforms, and residuals if the encoding has a regression. The encoded columns
 * come first, as numbers, and other columns follow as they are. A batch may become several, which have the row numbers and texts of
 * their rows. Sparse rows stay sparse if all functions map 0 to 0.
 */
export function encodeColumns<Value>(
  table: Table<Value>,
  coding: Encoding,
  { inputs = count(inputWidth(coding)), others = [], fitted = false }: EncodeColumnsOptions = {},
): Table<Value> {
  const cols = offsetsOf(coding)[coding.columns.length];
  const names = encodedNames(coding);
  const encoded = Array.from(
    { length: cols },
    (_, j): TableColumn => ({ name: names?.[j] ?? String(j), kind: 'number', type: 'encoded' }),
  );
  const { rows } = table;
  const staysSparse = table.nonzeros !== undefined && keepsZeros(coding);
  const stored = isSparse(coding, cols) && rows !== undefined ? rows * coding.columns.length : undefined;
  return changeTable<Value>(table, {
    columns: others.length === 0 ? encoded : [...encoded, ...others.map((j) => table.columns[j])],
    width: cols + others.length,
    named: names !== undefined,
    uniform: others.length === 0,
    nonzeros: staysSparse ? table.nonzeros : stored,
    dtype: () => 'float64',
    shape: undefined,
    remote: undefined,
    read: (request) => {
      const texts = (request.texts ?? []).map((j) => others[j - cols]);
      const verbatim = request.verbatim?.map((j) => others[j - cols]);
      const { appended, pick } = plan(request.numbers, cols, others);
      if (staysSparse && appended.length === 0) return mapAsync(sparseRows(table, coding, texts), pick);
      const cells = readCells(table, [...inputs, ...appended], texts, verbatim);
      return mapAsync(encodedBatches(cells, new TableEncoder(coding, fitted), inputs.length), pick);
    },
  });
}

function count(length: number): number[] {
  return [...Array(length).keys()];
}

/** The other columns that a request reads as numbers, and how its numbers are picked of the encoded columns and those. */
function plan(
  numbers: ReadRequest['numbers'],
  cols: number,
  others: readonly number[],
): { appended: number[]; pick: <Value>(batch: TableBatch<Value>) => TableBatch<Value> } {
  const asked = numbers === 'all' ? count(cols + others.length) : numbers;
  const further = [...new Set(asked.filter((j) => j >= cols))];
  const slots = new Map(further.map((j, at) => [j, cols + at]));
  const columns = asked.map((j) => slots.get(j) ?? j);
  const whole = columns.length === cols + further.length && columns.every((column, j) => column === j);
  return {
    appended: further.map((j) => others[j - cols]),
    pick: (batch) => (whole ? batch : { ...batch, block: blockColumns(batch.block, columns) }),
  };
}

/** Batches of encoded blocks. The cells from `appended` on are columns of numbers that follow them. */
async function* encodedBatches<Value>(
  batches: AsyncIterable<CellBatch<Value>>,
  encoder: TableEncoder,
  appended: number,
): AsyncGenerator<TableBatch<Value>, void, void> {
  for await (const batch of batches) {
    const further = batch.columns.slice(appended);
    let from = 0;
    for (const block of encoder.encode(batch)) {
      const [start, to] = [from, from + block.rows];
      const whole = block.rows === batch.rows;
      yield {
        block: further.length === 0 ? block : append(block, further, start),
        texts: whole ? batch.texts : batch.texts.map((texts) => texts.slice(start, to)),
        rowNumbers: whole ? batch.rowNumbers : batch.rowNumbers?.slice(start, to),
      };
      from = to;
    }
  }
}

/** The block with more columns: cells of rows from `first` on. */
function append(block: Block, cells: readonly ((i: number) => unknown)[], first: number): Block {
  return block.kind === 'dense' ? appendDense(block, cells, first) : appendSparse(block, cells, first);
}

function appendDense(block: DenseBlock, cells: readonly ((i: number) => unknown)[], first: number): DenseBlock {
  const { rows, cols, stride, data } = block;
  const width = cols + cells.length;
  const wide = new Float64Array(rows * width);
  for (let i = 0; i < rows; i++) {
    wide.set(data.subarray(i * stride, i * stride + cols), i * width);
    for (let c = 0; c < cells.length; c++) wide[i * width + cols + c] = Number(cells[c](first + i));
  }
  return { ...block, cols: width, stride: width, data: wide };
}

function appendSparse(block: SparseBlock, cells: readonly ((i: number) => unknown)[], first: number): SparseBlock {
  const { rows, cols } = block;
  const entries = block.data.length + rows * cells.length;
  const [indices, data, indptr] = [new Int32Array(entries), new Float64Array(entries), new Int32Array(rows + 1)];
  let at = 0;
  for (let i = 0; i < rows; i++) {
    for (let e = block.indptr[i]; e < block.indptr[i + 1]; e++, at++) {
      indices[at] = block.indices[e];
      data[at] = block.data[e];
    }
    for (let c = 0; c < cells.length; c++, at++) {
      indices[at] = cols + c;
      data[at] = Number(cells[c](first + i));
    }
    indptr[i + 1] = at;
  }
  return { ...block, cols: cols + cells.length, indptr, indices, data };
}

/** Returns true if every transform maps 0 to 0 and nothing else changes a 0. */
function keepsZeros({ columns, regression }: Encoding): boolean {
  return !regression && columns.every((column) => column.kind === 'number' && keepsZero(column.transform));
}

/** The rows of a sparse table with their stored entries transformed. */
function sparseRows<Value>(
  table: Table<Value>,
  coding: Encoding,
  texts: readonly number[],
): AsyncIterable<TableBatch<Value>> {
  let first = 0;
  return mapAsync(table.read({ numbers: 'all', texts }), (batch) => {
    const start = first;
    first += batch.block.rows;
    if (batch.block.kind === 'dense') throw new TypeError('the rows of a sparse table are sparse');
    return { ...batch, block: encodeSparse(batch.block, coding, (i) => rowNumberOf(batch, i, start)) };
  });
}

function encodeSparse(block: SparseBlock, { columns }: Encoding, rowNumber: (i: number) => number): SparseBlock {
  const functions = columns.map((column) => functionOf(column.kind === 'number' ? column.transform : 'none'));
  const data = new Float64Array(block.data.length);
  for (let i = 0; i < block.rows; i++) {
    for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) {
      const j = block.indices[at];
      if (!functions[j].accepts(block.data[at])) throw outOfRange(block.data[at], rowNumber(i), j, columns);
      data[at] = functions[j].of(block.data[at]);
    }
  }
  return { ...block, data };
}
