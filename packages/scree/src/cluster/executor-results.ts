import { openArrowBytes } from '@scree/files/platform';
import { WIDTH } from './executor-passes.js';
import { arrayOf, DOUBLE, LONG, structOf } from './messages.js';

/** The type of the rows that passes return, for Spark and, in its JSON, for Python. */
export const RESULT_TYPE = structOf([
  { name: 'part', type: LONG },
  { name: 'place', type: LONG },
  { name: 'numbers', type: arrayOf(DOUBLE) },
]);
/** Their names. */
export const RESULT_NAMES = ['part', 'place', 'numbers'];
const field = (name: string, type: unknown): object => ({ name, type, nullable: true, metadata: {} });
export const structJson = (fields: readonly { readonly name: string; readonly json: unknown }[]): string =>
  JSON.stringify({ type: 'struct', fields: fields.map(({ name, json }) => field(name, json)) });
export const RESULT_JSON = structJson([
  { name: 'part', json: 'long' },
  { name: 'place', json: 'long' },
  { name: 'numbers', json: { type: 'array', elementType: 'double', containsNull: true } },
]);

/** Memory that reading one batch may take; batches are a few megabytes. */
export const BATCH_MEMORY = 2 ** 30;

/** A piece of the vector that a partition returned: `numbers` are those from `at` on. */
export interface Piece {
  readonly part: number;
  readonly at: number;
  readonly numbers: Float64Array;
}

/** The rows that a pass returned, from the Arrow batches of its result. A piece is valid until the next one is read. */
export async function* piecesOf(batches: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Piece, void, void> {
  for await (const bytes of batches) {
    const table = await openArrowBytes(bytes, path, BATCH_MEMORY);
    if (table.rows === 0) continue;
    for await (const { block } of table.read({ numbers: 'all' })) {
      if (block.kind === 'sparse' || block.cols !== WIDTH + 2) throw new TypeError('a result has other columns');
      const data = block.data as Float64Array;
      for (let i = 0; i < block.rows; i++) {
        const start = i * block.stride;
        const [part, place] = [data[start], data[start + 1]];
        yield { part, at: place * WIDTH, numbers: data.subarray(start + 2, start + 2 + WIDTH) };
      }
    }
  }
}

/** Vectors of whole partitions, each when its last piece has come. Its first number is its length. */
export async function* partsOf(
  pieces: AsyncIterable<Piece>,
  longest: number,
): AsyncGenerator<Float64Array, void, void> {
  const waiting = new Map<number, { readonly vector: Float64Array; pieces: number }>();
  for await (const { part, at, numbers } of pieces) {
    const known = waiting.get(part) ?? { vector: new Float64Array(longest + WIDTH), pieces: 0 };
    waiting.set(part, known);
    known.vector.set(numbers.subarray(0, Math.max(0, longest + WIDTH - at)), Math.min(at, longest + WIDTH));
    known.pieces++;
    const length = known.vector[0];
    if (!(length > 0) || known.pieces < Math.ceil(length / WIDTH)) continue;
    waiting.delete(part);
    yield known.vector.subarray(1, length);
  }
  if (waiting.size > 0) throw new TypeError('parts of a result are missing');
}
