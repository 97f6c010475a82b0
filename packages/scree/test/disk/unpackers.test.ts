import { gzipSync } from 'node:zlib';
import { identify, openFormat, type Platform, unpacked } from '@scree/files/platform';
import { describe, expect, it } from 'vitest';
import { expectTypedInNoise, expectTypedWhenDamaged, type Opener } from '../../../files/test/damage.js';
import { PACKED_ARROW } from '../../../files/test/fixtures.js';
import { bytesOf, csrFile, memoryFile, npyFile, zipFile } from '../../../files/test/make.js';
import { copyToDisk } from '../../src/disk/temporary-copy.js';
import { nodeUnpackers } from '../../src/disk/unpackers.js';

const node: Platform = { unpack: nodeUnpackers, copy: copyToDisk, readers: {} };
const array = npyFile('<f8', [12, 5], bytesOf(Float64Array.from({ length: 60 }, (_, i) => i / 3)));

/** Sniffed as the format it was, whatever became of it since. */
const opener =
  (format: 'csv' | 'npz' | 'arrow', packing?: 'gzip' | 'zstd'): Opener =>
  async (content) => {
    const options = { memory: 2 ** 24 };
    const bytes = memoryFile(content);
    const found = await identify(
      packing ? unpacked(bytes, packing, node.unpack) : bytes,
      { name: '', format },
      options,
      node.unpack,
    );
    return openFormat(found, options, node);
  };

const OPENERS: [string, Uint8Array, Opener, number][] = [
  ['.csv.gz', gzipSync('a,b\n1,2\n3,4\n'), opener('csv', 'gzip'), 1000],
  // The same text in one plain block.
  ['.csv.zst', Buffer.from('28b52ffd200c610000612c620a312c320a332c340a', 'hex'), opener('csv', 'zstd'), 1000],
  ['packed .npz', zipFile([{ name: 'a.npy', content: array, packed: true }]), opener('npz'), 1500],
  ['packed sparse .npz', csrFile(true), opener('npz'), 1000],
  ['zstd Arrow', Buffer.from(PACKED_ARROW.zstd, 'base64'), opener('arrow'), 3000],
];

describe("Node's decompressors for the readers", () => {
  it.each(OPENERS)(
    'is answered rightly or with a typed error when it is damaged: %s',
    (_, content, open, numRuns) => expectTypedWhenDamaged(content, open, numRuns),
    120_000,
  );

  it.each(OPENERS)(
    'is a typed error when it is noise: %s',
    (_, content, open) => expectTypedInNoise(content, open),
    60_000,
  );

  it('read all members of a gzip file', async () => {
    const whole = Buffer.concat(['a,b\n1,2\n', '3,4\n', '5,6\n'].map((part) => gzipSync(part)));
    const table = await opener('csv', 'gzip')(whole);
    let rows = 0;
    for await (const { block } of table.read({ numbers: 'all' })) rows += block.rows;
    expect(rows).toBe(3);
  });
});
