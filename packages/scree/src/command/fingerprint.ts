import { crc32 } from 'node:zlib';
import type { Block } from '@scree/core/data';

/** A checksum of rows in their order, to find out whether the same rows are read again. */
export class Fingerprint {
  value = 0;

  add(block: Block): void {
    if (block.kind === 'sparse') {
      const { indptr, indices, data, rows } = block;
      const [from, to] = [indptr[0], indptr[rows]];
      for (const part of [indptr.subarray(0, rows + 1), indices.subarray(from, to), data.subarray(from, to)]) {
        this.#bytes(part);
      }
      return;
    }
    const { rows, cols, stride, data } = block;
    if (stride === cols) this.#bytes(data.subarray(0, rows * cols));
    else for (let i = 0; i < rows; i++) this.#bytes(data.subarray(i * stride, i * stride + cols));
  }

  #bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.value = crc32(new Uint8Array(buffer, byteOffset, byteLength), this.value);
  }
}
