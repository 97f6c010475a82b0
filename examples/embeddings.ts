/** Embeddings for pgvector: the fewest bytes per vector that keep the nearest neighbours, and the SQL to search them. */
import { encodeVector, loadQueryModel, reduceVectors, vectorText } from '@scree/analysis/vectors';

// 600 documents on twelve topics, and some noise.
const [rows, cols] = [600, 256];
const data = Float32Array.from({ length: rows * cols }, (_, at) => {
  const [i, j] = [Math.floor(at / cols), at % cols];
  return Math.sin((1 + (i % 12)) * j) + Math.sin((i % 7) * j + i) + 0.5 * Math.sin(i * i + j * i);
});

const reduced = await reduceVectors({ rows, cols, data }, { recall: 0.9 });
const code = encodeVector(loadQueryModel(reduced.queryModel), data.subarray(0, cols));
console.log(String(reduced), `\n$1 = ${vectorText(reduced.store, code, reduced.k)}`);
const { column, index, query } = reduced.sql({ table: 'documents' });
console.log([column, index, query].join('\n'));
