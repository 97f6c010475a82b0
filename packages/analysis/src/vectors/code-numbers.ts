import { decodeHalf } from '@scree/core/data';
import type { VectorCode, VectorStore } from './query/query-model.js';

/** Stored vectors as numbers, k per vector: bits as 1 and −1, integers as they are. */
export function codeNumbers(store: VectorStore, codes: VectorCode, rows: number, k: number): Float32Array {
  if (store === 'float32') return codes as Float32Array;
  if (store === 'float16') return decodeHalf(codes);
  if (store === 'int8') return Float32Array.from(codes);
  const out = new Float32Array(rows * k);
  const bytes = Math.ceil(k / 8);
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < k; c++) out[i * k + c] = codes[i * bytes + (c >> 3)] & (128 >> (c & 7)) ? 1 : -1;
  }
  return out;
}
