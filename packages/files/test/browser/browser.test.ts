import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchChromium } from '../../../../test/chromium.js';
import { serve } from '../../../../test/serve.js';
import { bundlePage } from '../../../core/test/browser/bundle.js';
import { PACKED_ARROW } from '../fixtures.js';
import { bytesOf, csrFile, npyFile, zipFile } from '../make.js';
import { PACKED_PARQUET } from '../packed-parquet.js';
import type {} from './page.js';
import { tellFile } from './tell-file.js';

const executablePath = inject('chromium');
const text = `a,b\n${Array.from({ length: 3000 }, (_, i) => `${i},${Math.sin(i)}`).join('\n')}\n`;
const four = bytesOf(Float64Array.of(1, 2, 3, 4));
const packed = gzipSync(text);

const FILES: [string, Uint8Array][] = [
  ['x.csv', Buffer.from(text)],
  ['ü.tsv', Buffer.from('größe\tb\n1\t2\n3\t4\n')],
  ['x.csv.gz', packed],
  ['members.csv.gz', Buffer.concat([packed, gzipSync('9,9\n'), gzipSync('8,8\n')])],
  ['padded.csv.gz', Buffer.concat([packed, Buffer.alloc(100)])],
  ['more.csv.gz', Buffer.concat([packed, Buffer.from('9,9\n')])],
  ['cut.csv.gz', packed.subarray(0, packed.length - 5)],
  ['damaged.csv.gz', Buffer.concat([packed.subarray(0, 2000), Buffer.alloc(900, 7)])],
  ['x.json', Buffer.from('[{"a": 1, "b": "ü"}, {"a": 2, "b": "y"}]')],
  ['x.ndjson.gz', gzipSync('[1, 2]\n[3, 4]\n')],
  ['x.npy', npyFile('>f4', [1, 2], Buffer.from('3f80000040000000', 'hex'))],
  ['columns.npy.gz', gzipSync(npyFile('<f8', [2, 2], four, true))],
  ['x.npz', zipFile([{ name: 'a.npy', content: npyFile('<f8', [2, 2], four, true), packed: true }])],
  ['sparse.npz', csrFile(true)],
  ['wrong.npz', zipFile([{ name: 'a.npy', content: npyFile('<f8', [2, 2], four), packed: true, lie: { crc: 1 } }])],
  ['x-idx2-ubyte.gz', gzipSync(Buffer.from([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4]))],
  ['x.arrow', tableToIPC(tableFromArrays({ a: Float64Array.of(1, 3), b: Float64Array.of(2, 4) }), 'file')],
  ['lz4.arrow', Buffer.from(PACKED_ARROW.lz4, 'base64')],
  ['zstd.arrow', Buffer.from(PACKED_ARROW.zstd, 'base64')],
  ['cut.parquet', Buffer.from('PAR1')],
  ...Object.entries(PACKED_PARQUET).map(([codec, content]): [string, Uint8Array] => [
    `${codec}.parquet`,
    Buffer.from(content, 'base64'),
  ]),
  ['x.sqlite', Buffer.from('SQLite format 3\0 and more')],
  ['empty.csv', Buffer.alloc(0)],
];

describe.skipIf(!executablePath)('in a worker of Chromium', () => {
  let browser: Browser | undefined;
  let page: Page;
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const server = await serve(await bundlePage(new URL('.', import.meta.url)));
    close = server.close;
    browser = await launchChromium(executablePath);
    page = await browser.newPage();
    await page.goto(server.url);
  });
  afterAll(async () => {
    await browser?.close();
    await close?.();
  });

  it.each(FILES)('%s is read, or refused, as it is in Node', async (name, content) => {
    const told = await page.evaluate(([bytes, called]) => tellFileInWorker(bytes, called), [
      [...content],
      name,
    ] as const);
    expect(told.code).not.toBe('not ours');
    expect(told).toEqual(await tellFile(new File([new Uint8Array(content)], name)));
  });
});
