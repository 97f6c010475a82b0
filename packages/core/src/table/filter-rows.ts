import { mapAsync } from '../base/map-async.js';
import type { Block, DenseBlock } from '../data/blocks/block.js';
import { blockColumns } from '../data/blocks/block-rows.js';
import { RowSet } from './row-set.js';
import { changeTable, type ReadRequest, rowNumberOf, type Table, type TableBatch } from './table.js';
import { TwoBuffers } from './two-buffers.js';

/** Decides which rows are kept. */
export interface RowRule<Value> {
  /** The columns that decide, read as numbers and as text. */
  readonly numbers: ReadRequest['numbers'];
  readonly texts: readonly number[];
  /** Called at the start of a reading that decides. The function returns true if row `i` of a batch is kept. */
  begin(): (i: number, block: DenseBlock, texts: readonly (readonly Value[])[]) => boolean;
  /** Called after a reading that decided about all rows. */
  end?(): void;
}

/**
 * The table, which is not sparse, with only the rows that a rule keeps. The first whole reading decides, and reads the columns of
 * the rule besides those that are asked for. The decision is kept, one bit per row, for the readings that follow.
 */
export function filterRows<Value>(table: Table<Value>, rule: RowRule<Value>): Table<Value> {
  let decided: RowSet | undefined;
  return changeTable<Value>(table, {
    get rows() {
      return decided?.chosen;
    },
    expectedRows: () => table.rows ?? table.expectedRows?.(),
    shape: undefined,
    remote: undefined,
    read: (request) => {
      if (decided) return readRowSet(table, decided, request);
      const rows = new RowSet();
      const picker = new RowPicker();
      const keeps = rule.begin();
      const { wide, ruled, asked } = widen<Value>(request, rule);
      return mapAsync(
        table.read(wide),
        (batch) => {
          const start = rows.rows;
          const { block, texts } = ruled(batch);
          for (let i = 0; i < block.rows; i++) rows.push(keeps(i, block, texts));
          return picker.rows(asked(batch), start, (i) => rows.has(start + i));
        },
        () => {
          decided = rows;
          rule.end?.();
        },
      );
    },
  });
}

/** The table, which is not sparse, with only the rows of a set. */
export function keepRowSet<Value>(table: Table<Value>, rows: RowSet): Table<Value> {
  return changeTable<Value>(table, {
    rows: rows.chosen,
    expectedRows: undefined,
    shape: undefined,
    remote: undefined,
    read: (request) => readRowSet(table, rows, request),
  });
}

function readRowSet<Value>(table: Table<Value>, rows: RowSet, request: ReadRequest): AsyncIterable<TableBatch<Value>> {
  const picker = new RowPicker();
  let first = 0;
  return mapAsync(table.read(request), (batch) => {
    const start = first;
    first += batch.block.rows;
    return picker.rows(batch, start, (i) => rows.has(start + i));
  });
}

/** A request for more columns than were asked for, and the parts of its batches. */
interface Widened<Value> {
  readonly wide: ReadRequest;
  ruled(batch: TableBatch<Value>): { readonly block: DenseBlock; readonly texts: TableBatch<Value>['texts'] };
  asked(batch: TableBatch<Value>): TableBatch<Value>;
}

function widen<Value>(
  { numbers, texts = [], verbatim }: ReadRequest,
  rule: Pick<RowRule<Value>, 'numbers' | 'texts'>,
): Widened<Value> {
  const wideTexts = [...new Set([...texts, ...rule.texts])];
  const textsOf = (columns: readonly number[], { texts: read }: TableBatch<Value>): TableBatch<Value>['texts'] =>
    columns.map((j) => read[wideTexts.indexOf(j)]);
  const askedTexts = (batch: TableBatch<Value>): TableBatch<Value>['texts'] => [
    ...textsOf(texts, batch),
    ...batch.texts.slice(wideTexts.length),
  ];
  const further = verbatim ? { verbatim } : {};
  if (numbers === 'all' || rule.numbers === 'all' || numbers === rule.numbers) {
    const own = rule.numbers;
    const part = numbers === 'all' || numbers === own ? undefined : numbers;
    return {
      wide: { numbers: own === 'all' ? 'all' : numbers, texts: wideTexts, ...further },
      ruled: (batch) => ({
        block: own === 'all' || own === numbers ? denseOf(batch.block) : blockColumns(batch.block, own),
        texts: textsOf(rule.texts, batch),
      }),
      asked: (batch) => ({
        ...batch,
        block: part ? blockColumns(batch.block, part) : batch.block,
        texts: askedTexts(batch),
      }),
    };
  }
  // The columns that were asked for come first, so that a block of them is a view.
  const order = [...new Set([...numbers, ...rule.numbers])];
  const places = new Map(order.map((column, at) => [column, at]));
  const slotsOf = (columns: readonly number[]): number[] => columns.map((j) => places.get(j) ?? 0);
  const [own, part] = [slotsOf(rule.numbers), slotsOf(numbers)];
  return {
    wide: { numbers: order, texts: wideTexts, ...further },
    ruled: (batch) => ({ block: blockColumns(batch.block, own), texts: textsOf(rule.texts, batch) }),
    asked: (batch) => ({ ...batch, block: blockColumns(batch.block, part), texts: askedTexts(batch) }),
  };
}

function denseOf(block: Block): DenseBlock {
  return block.kind === 'dense' ? block : blockColumns(block, [...Array(block.cols).keys()]);
}

/** Picks rows of batches. The numbers are copied into two buffers in turn, because a block may be in use while the next is read. */
export class RowPicker {
  readonly #buffers = new TwoBuffers();
  /** Rows that were kept before the batch. */
  #before = 0;

  /** The rows of a batch that are kept, with their numbers in the user's table; undefined if there are none. */
  rows<Value>(batch: TableBatch<Value>, start: number, keeps: (i: number) => boolean): TableBatch<Value> | undefined {
    const kept: number[] = [];
    for (let i = 0; i < batch.block.rows; i++) if (keeps(i)) kept.push(i);
    if (kept.length === 0) return undefined;
    const before = this.#before;
    this.#before += kept.length;
    const whole = kept.length === batch.block.rows;
    if (whole && before === start) return batch;
    const pick = <Item>(values: readonly Item[]): Item[] => kept.map((i) => values[i]);
    return {
      block: whole ? batch.block : this.#copy(denseOf(batch.block), kept),
      texts: whole ? batch.texts : batch.texts.map(pick),
      rowNumbers: kept.map((i) => rowNumberOf(batch, i, start)),
    };
  }

  #copy(block: DenseBlock, kept: readonly number[]): DenseBlock {
    const { rows, cols, stride, data } = block;
    const buffer = this.#buffers.next(data, rows * cols);
    for (let at = 0; at < kept.length; at++) {
      const from = kept[at] * stride;
      buffer.set(data.subarray(from, from + cols), at * cols);
    }
    return { ...block, rows: kept.length, stride: cols, data: buffer };
  }
}
