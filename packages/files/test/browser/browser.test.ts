import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { serve } from '../../../../test/serve.js';
import { bundlePage } from '../../../core/test/browser/bundle.js';
import { PACKED_ARROW, ZSTD_CSV } from '../fixtures.js';
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
  ['x.csv.zst', Buffer.from(ZSTD_CSV.checked, 'base64')],
  ['frames.csv.zst', Buffer.concat([ZSTD_CSV.checked, ZSTD_CSV.plain].map((frame) => Buffer.from(frame, 'base64')))],
  ['cut.csv.zst', Buffer.from(ZSTD_CSV.checked, 'base64').subarray(0, -3)],
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

/** The Content-Security-Policy of `scree lab`, as far as it concerns scripts: no `fetch` of data: addresses, for example. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

describe.skipIf(!executablePath)('in a worker of Chromium', () => {
  let browser: Browser | undefined;
  let page: Page;
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const server = await serve(await bundlePage(new URL('.', import.meta.url)), { 'Content-Security-Policy': POLICY });
    close = server.close;
    browser = await sharedChromium(executablePath);
    page = await browser.newPage();
    await page.goto(server.url);
  });
  afterAll(async () => {
    await closePages(browser);
    await close?.();
  });

  it('the page does not fetch from data: addresses', async () => {
    const fetched = await page.evaluate(() => fetch('data:,x').then(String, () => 'refused'));
    expect(fetched).toBe('refused');
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
