import { OptionError } from '@scree/core';
import { type DenseBlock, decoded } from '@scree/core/data';
import { cellNumber } from '../csv/cells.js';
import type { Batch, Request, Table } from './table.js';

type Text = string | null;

/** The table, in which these texts and numbers mean "no value" too: null among texts, NaN among numbers. -99 is also -99.0. */
export function withMissingMarkers(table: Table, na: readonly string[], path: string): Table {
  if (table.nonzeros !== undefined) {
    throw new OptionError(
      'BAD_OPTION',
      `na names values that are missing, and ${path} is a sparse matrix, whose missing values are NaN. Leave na out.`,
      { option: 'na' },
    );
  }
  const texts = new Set(na);
  const numbers = numbersIn(na);
  const clean = (column: number, values: readonly Text[]): readonly Text[] => {
    const isNumber = table.columns[column].kind === 'number';
    const isGap = (text: string): boolean => texts.has(text.trim()) || (isNumber && numbers.has(Number(text)));
    return values.map((text) => (text !== null && isGap(text) ? null : text));
  };
  async function* read(request: Request): AsyncGenerator<Batch, void, void> {
    const float32 = numbers.size > 0 && table.dtype(request.numbers) === 'float32';
    for await (const batch of table.read(request)) {
      yield {
        block: numbers.size > 0 ? withGaps(batch.block as DenseBlock, numbers, float32) : batch.block,
        text: batch.text && clean(request.text as number, batch.text),
        texts: batch.texts?.map((values, t) => clean((request.texts as readonly number[])[t], values)),
      };
    }
  }
  // Not a copy, as in `withClose`.
  return Object.create(table, {
    read: { value: read },
    ...(numbers.size > 0 ? { mayMissValues: { value: true }, checkMissing: { value: true } } : {}),
  }) as Table;
}

/** The markers that are numbers, also as float32 stores them. */
function numbersIn(na: readonly string[]): ReadonlySet<number> {
  const numbers = na.filter((text) => !/^[tf]/i.test(text)).flatMap((text) => cellNumber(text) ?? []);
  return new Set(numbers.flatMap((number) => [number, Math.fround(number)]));
}

/** The block with NaN for these numbers: in place, unless its type has no NaN. */
function withGaps(given: DenseBlock, numbers: ReadonlySet<number>, float32: boolean): DenseBlock {
  const block = floats(decoded(given), float32);
  const { rows, cols, stride, data } = block;
  for (let i = 0; i < rows; i++) {
    for (let at = i * stride; at < i * stride + cols; at++) if (numbers.has(data[at])) data[at] = Number.NaN;
  }
  return block;
}

function floats(block: DenseBlock, float32: boolean): DenseBlock {
  const { data } = block;
  if (data instanceof Float32Array || data instanceof Float64Array) return block;
  return { ...block, data: float32 ? Float32Array.from(data) : Float64Array.from(data) };
}
