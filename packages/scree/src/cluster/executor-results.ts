import { DataError } from '@scree/core';
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

/** Vectors of partitions may be incomplete at the same time in this number, however little memory is allowed: Spark sends one after the other. */
const ALWAYS_ALLOWED = 16;

/**
 * Assembles the vectors of partitions. Yields a vector when its last piece has arrived. The first number of a vector is its length.
 * Throws if a part says a wrong length, or if the incomplete vectors need more than `memory` bytes: a server may send anything.
 */
export async function* assembleParts(
  pieces: AsyncIterable<VectorPiece>,
  longest: number,
  memory: number,
): AsyncGenerator<Float64Array, void, void> {
  const size = longest + PIECE_LENGTH;
  const most = Math.max(ALWAYS_ALLOWED, Math.floor(memory / (8 * size)));
  const waiting = new Map<number, { readonly vector: Float64Array; pieces: number }>();
  for await (const { part, at, numbers } of pieces) {
    if (!(Number.isInteger(part) && at >= 0)) throw new TypeError('a piece of a result names no part or no place');
    let known = waiting.get(part);
    if (!known) {
      if (waiting.size >= most) throw tooManyParts(waiting.size);
      known = { vector: new Float64Array(size), pieces: 0 };
      waiting.set(part, known);
    }
    known.vector.set(numbers.subarray(0, Math.max(0, size - at)), Math.min(at, size));
    known.pieces++;
    const length = known.vector[0];
    if (length > size) throw new TypeError('a part of a result says that it is longer than it can be');
    if (!(length > 0) || known.pieces < Math.ceil(length / PIECE_LENGTH)) continue;
    waiting.delete(part);
    yield known.vector.subarray(1, length);
  }
  if (waiting.size > 0) throw new TypeError('parts of a result are missing');
}

function tooManyParts(count: number): DataError {
  return new DataError(
    'TOO_LARGE',
    `The server sends more than ${count} incomplete parts of a result at the same time, which do not fit into memory. Allow more (memory, --memory), or divide the table into fewer partitions.`,
    { reason: 'memory' },
  );
}
