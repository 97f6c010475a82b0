import { expect, it } from 'vitest';
import type { Bytes } from '../src/bytes/bytes.js';
import { openIdx } from '../src/idx/idx-table.js';
import { openNpy } from '../src/numpy/npy.js';
import { readTable } from './damage.js';
import { bytesOf, memoryFile, npyFile } from './make.js';

/** A file that ends inside its header when it is opened for the second time. */
function shortened(content: Uint8Array, length: number): Bytes {
  const { path, size, rereadable, open } = memoryFile(content);
  let opened = 0;
  const cut = memoryFile(content.subarray(0, length));
  return { path, size, rereadable, open: () => (opened++ === 0 ? open() : cut.open()) };
}

it.each([
  ['.npy', npyFile('<f8', [2, 3], bytesOf(Float64Array.of(1, 2, 3, 4, 5, 6))), openNpy],
  ['IDX', Buffer.concat([Buffer.from([0, 0, 0x08, 2, 0, 0, 0, 2, 0, 0, 0, 3]), Buffer.alloc(6, 1)]), openIdx],
] as const)(
  '%s that became shorter than its header is cut off, and not read from the wrong place',
  async (_, content, open) => {
    for (const length of [0, 1, 11]) {
      await expect(readTable(open(shortened(content, length), { memory: 2 ** 24 }))).rejects.toMatchObject({
        code: 'FILE_TRUNCATED',
        message: expect.stringContaining('header'),
      });
    }
  },
);
