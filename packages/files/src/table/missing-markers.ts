import { OptionError } from '@scree/core';
import { changeTable, type DenseBlock, decoded, mapAsync, type Table, type Text, TwoBuffers } from '@scree/core/data';
import { cellNumber } from '../csv/cells.js';

/** The table in which these texts and numbers are missing values too: null in texts, NaN in numbers. -99 is also -99.0. */
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
    const isMarker = (text: string): boolean => texts.has(text.trim()) || (isNumber && numbers.has(Number(text)));
    return values.map((text) => (text !== null && isMarker(text) ? null : text));
  };
  return changeTable(table, {
    ...(numbers.size > 0 ? { mayMissValues: true, checkMissing: true } : {}),
    read: (request) => {
      const float32 = numbers.size > 0 && table.dtype(request.numbers) === 'float32';
      const { texts: asked = [] } = request;
      const buffers = new TwoBuffers();
      return mapAsync(table.read(request), (batch) => ({
        ...batch,
        block: numbers.size > 0 && batch.block.kind === 'dense' ? withGaps(batch.block) : batch.block,
        texts: batch.texts.map((values, t) => (t < asked.length ? clean(asked[t], values) : values)),
      }));

      function withGaps(given: DenseBlock): DenseBlock {
        const block = decoded(given);
        const { rows, cols, stride, data } = block;
        const floats = data instanceof Float32Array || data instanceof Float64Array;
        const like = floats ? data : float32 ? new Float32Array(0) : new Float64Array(0);
        const length = Math.max(0, rows - 1) * stride + cols;
        const copy = buffers.next(like, length);
        copy.set(data.subarray(0, length));
        for (let i = 0; i < rows; i++) {
          for (let at = i * stride; at < i * stride + cols; at++) if (numbers.has(copy[at])) copy[at] = Number.NaN;
        }
        return { ...block, data: copy };
      }
    },
  });
}

/** The markers that are numbers, also as float32 stores them. */
function numbersIn(na: readonly string[]): ReadonlySet<number> {
  const numbers = na.filter((text) => !/^[tf]/i.test(text)).flatMap((text) => cellNumber(text) ?? []);
  return new Set(numbers.flatMap((number) => [number, Math.fround(number)]));
}
