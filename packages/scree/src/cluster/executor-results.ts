import { openArrowBytes } from '@scree/files/platform';
import { PIECE_LENGTH } from './executor-passes.js';
import { arrayOf, DOUBLE, LONG, structOf } from './messages.js';

/** The type of the rows that passes return, as Spark's message. `RESULT_JSON` is the same type for Python. */
export const RESULT_TYPE = structOf([
  { name: 'part', type: LONG },
  { name: 'place', type: LONG },
  { name: 'numbers', type: arrayOf(DOUBLE) },
]);
/** The names of the columns of a result. */
export const RESULT_NAMES = ['part', 'place', 'numbers'];
const field = (name: string, type: unknown): object => ({ name, type, nullable: true, metadata: {} });
export const structJson = (fields: readonly { readonly name: string; readonly json: unknown }[]): string =>
  JSON.stringify({ type: 'struct', fields: fields.map(({ name, json }) => field(name, json)) });
export const RESULT_JSON = structJson([
  { name: 'part', json: 'long' },
  { name: 'place', json: 'long' },
  { name: 'numbers', json: { type: 'array', elementType: 'double', containsNull: true } },
]);

/** Memory limit for reading one batch. Batches take a few megabytes. */
export const BATCH_MEMORY = 2 ** 30;

/** A piece of the vector that a partition returned. `numbers` begin at the index `at` of the vector. */
export interface VectorPiece {
  readonly part: number;
  readonly at: number;
  readonly numbers: Float64Array;
}

/** Reads the rows of a pass from the Arrow batches of its result. A piece is valid until the next one is read. */
export async function* piecesOf(
  batches: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<VectorPiece, void, void> {
  for await (const bytes of batches) {
    const table = await openArrowBytes(bytes, path, BATCH_MEMORY);
    if (table.rows === 0) continue;
    for await (const { block } of table.read({ numbers: 'all' })) {
      if (block.kind === 'sparse' || block.cols !== PIECE_LENGTH + 2) throw new TypeError('a result has other columns');
      const data = block.data as Float64Array;
      for (let i = 0; i < block.rows; i++) {
        const start = i * block.stride;
        const [part, place] = [data[start], data[start + 1]];
        yield { part, at: place * PIECE_LENGTH, numbers: data.subarray(start + 2, start + 2 + PIECE_LENGTH) };
      }
    }
  }
}

/** Assembles the vectors of partitions. Yields a vector when its last piece has arrived. The first number of a vector is its length. */
export async function* assembleParts(
  pieces: AsyncIterable<VectorPiece>,
  longest: number,
): AsyncGenerator<Float64Array, void, void> {
  const waiting = new Map<number, { readonly vector: Float64Array; pieces: number }>();
  for await (const { part, at, numbers } of pieces) {
    const known = waiting.get(part) ?? { vector: new Float64Array(longest + PIECE_LENGTH), pieces: 0 };
    waiting.set(part, known);
    known.vector.set(
      numbers.subarray(0, Math.max(0, longest + PIECE_LENGTH - at)),
      Math.min(at, longest + PIECE_LENGTH),
    );
    known.pieces++;
    const length = known.vector[0];
    if (!(length > 0) || known.pieces < Math.ceil(length / PIECE_LENGTH)) continue;
    waiting.delete(part);
    yield known.vector.subarray(1, length);
  }
  if (waiting.size > 0) throw new TypeError('parts of a result are missing');
}
