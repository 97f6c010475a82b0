import { writeContainer } from '@scree/core/data';
import { QUERY_LETTERS, QUERY_VERSION } from './query/load-query-model.js';
import type { QueryModel } from './query/query-model.js';

/** A query model as bytes: the rule as JSON, then the components as float32, and the offset and the weights as float64. */
export function writeQueryModel({ components, offset, weights, ...rule }: QueryModel): Uint8Array {
  const sections = [components ?? new Float32Array(0), offset, weights ?? new Float64Array(0)];
  return writeContainer(QUERY_LETTERS, QUERY_VERSION, rule, sections.map(littleEndian));
}

function littleEndian(numbers: Float32Array | Float64Array): Uint8Array {
  const width = numbers.BYTES_PER_ELEMENT;
  const view = new DataView(new ArrayBuffer(numbers.byteLength));
  for (let i = 0; i < numbers.length; i++) {
    if (width === 4) view.setFloat32(4 * i, numbers[i], true);
    else view.setFloat64(8 * i, numbers[i], true);
  }
  return new Uint8Array(view.buffer);
}
