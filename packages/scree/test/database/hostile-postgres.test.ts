import { openFile, ScreeError } from 'scree';
import { afterEach, describe, expect, it } from 'vitest';
import { CopyRows } from '../../src/database/copy-rows.js';
import { rowsOf, seeded } from '../disk/support.js';
import {
  COPY_END,
  COPY_HEADER,
  conversation,
  copied,
  type FakePostgres,
  fields,
  int32,
  message,
  READY,
  startFakePostgres,
  WELCOME,
} from './fake-postgres.js';

const servers: FakePostgres[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(answer: (statement: string) => Uint8Array | undefined): Promise<string> {
  const server = await startFakePostgres(answer);
  servers.push(server);
  return server.url;
}

const options = { sql: 'select * from t', memory: 2 ** 26 };

async function readRows(url: string, more: object = {}): Promise<number[][]> {
  const file = await openFile(url, { ...options, ...more });
  try {
    return await rowsOf(file);
  } finally {
    await file.close();
  }
}

const float8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
const X = [['x', 701, 'double precision']] as const;
const XY = [...X, ['y', 23, 'integer']] as const;
const rows = (...all: (Uint8Array | undefined)[][]): Buffer =>
  copied(Buffer.concat([COPY_HEADER, ...all.map(fields), COPY_END]));

it('rows of binary COPY are the same, however they are cut into chunks', () => {
  const random = seeded(Number(process.env.SCREE_SEED));
  const sent = Array.from({ length: 200 }, () =>
    Array.from({ length: 3 }, () => (random() < 0.2 ? undefined : Buffer.alloc(random() * 40, random() * 256))),
  );
  const bytes = Buffer.concat([COPY_HEADER, ...sent.map(fields), COPY_END]);
  for (const longest of [1, 7, 100, 2000]) {
    const copy = new CopyRows(3);
    const read: (Buffer | undefined)[][] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(random() * longest);
      copy.push(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
      const field = (j: number): Buffer | undefined =>
        copy.lengths[j] < 0
          ? undefined
          : Buffer.from(copy.bytes.subarray(copy.starts[j], copy.starts[j] + copy.lengths[j]));
      while (copy.next()) read.push([0, 1, 2].map(field));
    }
    expect(copy.ended).toBe(true);
    expect(read).toEqual(sent);
  }
});

describe('a Postgres server', () => {
  it('is read if it says what it must', async () => {
    const url = await serve(conversation(XY, rows([float8(1.5), int32(2)], [float8(-3), int32(4)])));
    expect(await readRows(url)).toEqual([
      [1.5, 2],
      [-3, 4],
    ]);
  });

  it.each([
    ['before login', ''],
    ['after login', 'BEGIN'],
    ['in an answer', 'SELECT * FROM (select * from t'],
  ])('that announces a message of 4 GB %s is left at once', async (_, where) => {
    const usual = conversation(X, rows([float8(1)]));
    const url = await serve((statement) =>
      (where === '' ? statement === '' : statement.startsWith(where))
        ? message('S', 'a few bytes of it', 0xffffffff)
        : usual(statement),
    );
    await expect(readRows(url)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/127\.0\.0\.1:\d+\/db sends more than the memory allows.*4294967295 bytes/),
    });
  });

  it('that answers with more small messages than the memory takes is left', async () => {
    const notices = Buffer.concat(Array.from({ length: 1024 }, () => message('N', `Mnotice${' '.repeat(1000)}\0\0`)));
    const url = await serve((statement) =>
      statement === '' ? Buffer.concat([WELCOME, ...Array(20).fill(notices), READY]) : undefined,
    );
    await expect(readRows(url)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('that claims a row larger than the memory is left before it comes', async () => {
    const claim = Buffer.concat([COPY_HEADER, Buffer.from([0, 1]), int32(0x7fffffff), Buffer.alloc(100)]);
    const url = await serve(conversation(X, Buffer.concat([copied(claim)])));
    await expect(readRows(url)).rejects.toMatchObject({ code: 'TOO_LARGE', details: { reason: 'memory' } });
  });

  it.each([
    ['a message that is shorter than its length', 'LIMIT 0', message('T', Buffer.from([0, 1]), 3)],
    ['a description of columns that it does not contain', 'LIMIT 0', message('T', Buffer.from([0x7f, 0xff, 65]))],
    ['a row whose fields are longer than it is', 'LIMIT 0', message('D', Buffer.from([0, 1, 0, 0, 0]))],
    ['a login that does not exist', '', message('R', int32(77))],
    ['COPY with a message that is shorter than its length', 'COPY', message('d', '', 1)],
    ['the page of a web server', '', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('that sends %s is an error of ours', async (_, where, said) => {
    const usual = conversation(X, rows([float8(1)]));
    const url = await serve((statement) =>
      (where === '' ? statement === '' : statement.includes(where)) ? said : usual(statement),
    );
    await expect(readRows(url)).rejects.toMatchObject({ name: 'FileError', code: /^(BAD_FILE|TOO_LARGE)$/ });
  });

  it('that takes the connection and says nothing is waited for as long as the address says', async () => {
    const usual = conversation(X, rows([float8(1)]));
    const silent = await serve(() => undefined);
    const stalling = await serve((statement) => (statement.startsWith('BEGIN') ? undefined : usual(statement)));
    await Promise.all(
      [silent, stalling].map((url) =>
        expect(readRows(`${url}?connect_timeout=1`)).rejects.toMatchObject({
          code: 'NO_CONNECTION',
          message: expect.stringContaining('no answer in 1 second'),
        }),
      ),
    );
  });

  const [nothing, digits] = [Buffer.alloc(0), Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10])];
  const array = (...parts: number[]): Buffer => Buffer.concat(parts.map(int32));
  it.each<[string, readonly [string, number, string], Uint8Array, string]>([
    [
      'a short float',
      ['x', 701, 'double precision'],
      Buffer.alloc(4),
      'has 4 bytes for a value of type float8, which takes 8',
    ],
    [
      'a long whole number',
      ['x', 23, 'integer'],
      Buffer.alloc(8),
      'has 8 bytes for a value of type int4, which takes 4',
    ],
    ['an empty number', ['x', 20, 'bigint'], nothing, 'has 0 bytes for a value of type int8, which takes 8'],
    [
      'a numeric without its digits',
      ['x', 1700, 'numeric'],
      digits.subarray(0, 8),
      'has 8 bytes for a value of type numeric, which takes 10',
    ],
    ['a numeric with five digits in a group', ['x', 1700, 'numeric'], digits, 'with the digits 10000'],
    ['an array of 3 bytes', ['x', 1022, 'double precision[]'], Buffer.alloc(3), 'has 3 bytes that are not an array'],
    [
      'an array with a dimension below 0',
      ['x', 1022, 'double precision[]'],
      array(1, 0, 701, -2, 1),
      'a dimension of -2',
    ],
    [
      'an array without its entries',
      ['x', 1022, 'double precision[]'],
      array(1, 0, 701, 2, 1, 8),
      'ends before its last entry',
    ],
  ])('that sends %s is said to have done so', async (_, column, value, what) => {
    const url = await serve(conversation([column], rows([value])));
    await expect(readRows(url)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringMatching(new RegExp(`row 1 .*${what}.*in column "x(\\[0\\])?"`)),
      details: { row: 0 },
    });
  });

  it('that sends rows of another width, or no rows, is said to have done so', async () => {
    const wide = await serve(conversation(X, rows([float8(1)], [float8(1), float8(2)])));
    await expect(readRows(wide)).rejects.toMatchObject({
      message: expect.stringContaining('row 2 has 2 fields, not 1'),
      details: { row: 1 },
    });
    const text = await serve(conversation(X, copied(Buffer.from('1.5\n2.5\n and more text'))));
    await expect(readRows(text)).rejects.toMatchObject({ code: 'BAD_FILE' });
  });

  it('that says anything at all ends in rows or in an error of ours', async () => {
    const random = seeded(Number(process.env.SCREE_SEED));
    const usual = conversation(
      [...XY, ['v', 1022, 'double precision[]']],
      rows([float8(1), int32(2), Buffer.concat([array(1, 0, 701, 1, 1, 8), float8(3)])]),
    );
    const outcomes = new Set<string>();
    for (let i = 0; i < 150; i++) {
      const broken = Math.floor(random() * 6);
      let statements = 0;
      const server = await startFakePostgres((statement) => {
        const said = usual(statement);
        if (statements++ !== broken) return said;
        for (let changes = 0; changes < 3; changes++) said[Math.floor(random() * said.length)] = random() * 256;
        // The end of the connection, so that nothing is waited for.
        setImmediate(() => void server.stop());
        return said;
      });
      outcomes.add(
        await readRows(server.url).then(
          () => 'rows',
          (error: unknown) => {
            if (!(error instanceof ScreeError)) throw error;
            return error.code;
          },
        ),
      );
      await server.stop().catch(() => {});
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });
});
