import { createServer, type Socket } from 'node:net';

/** A message of a server: its letter, and its length unless another one is claimed. */
export function message(letter: string, content: Uint8Array | string = '', claimed?: number): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.write(letter, 'latin1');
  head.writeUInt32BE(claimed ?? bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** Columns and rows of text, as they answer a query. */
export function result(columns: readonly (readonly [string, number])[], rows: readonly (readonly string[])[]): Buffer {
  const described = columns.map(([name, type]) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(8), int32(-1), int16(0)]),
  );
  const sent = rows.map((row) => message('D', fields(row.map((value) => Buffer.from(value)))));
  return Buffer.concat([message('T', Buffer.concat([int16(columns.length), ...described])), ...sent]);
}

/** The fields of one row, as in a message or in binary COPY. Undefined is NULL. */
export function fields(values: readonly (Uint8Array | undefined)[]): Buffer {
  const parts = values.flatMap((value) => (value ? [int32(value.length), value] : [int32(-1)]));
  return Buffer.concat([int16(values.length), ...parts]);
}

export const COPY_HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), int32(0), int32(0)]);
export const COPY_END = int16(-1);

/** The answer to COPY, in messages of these bytes. */
export function copied(...chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([
    message('H', Buffer.concat([Buffer.from([1]), int16(0)])),
    ...chunks.map((chunk) => message('d', chunk)),
    message('c'),
    message('C', 'COPY 1\0'),
    READY,
  ]);
}

export const WELCOME = message('R', int32(0));
export const READY = message('Z', 'I');

export interface FakePostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A server on loopback that answers each statement with the bytes that `answer` returns. The statement '' stands for the start of the
 * session. For undefined, the server stays silent. With `hangUp` it ends the connection after its answer to the last statement that it
 * knows.
 */
export async function startFakePostgres(answer: (statement: string) => Uint8Array | undefined): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const say = (statement: string): void => {
      const said = answer(statement);
      if (said) socket.write(said);
    };
    let got = Buffer.alloc(0);
    let begun = false;
    let prepared = '';
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      for (;;) {
        const head = begun ? 1 : 0;
        if (got.length < head + 4) return;
        const end = head + got.readUInt32BE(head);
        if (got.length < end) return;
        const letter = begun ? String.fromCharCode(got[0]) : '';
        const text = got.toString('utf8', head + 4, end);
        got = got.subarray(end);
        if (!begun) say('');
        begun = true;
        if (letter === 'Q') say(text.replace('\0', ''));
        // The name of a prepared statement comes first, and is empty.
        if (letter === 'P') prepared = text.split('\0')[1];
        if (letter === 'S') say(prepared);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://me@127.0.0.1:${port}/db`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answers of a server whose `SELECT * FROM t` has these columns, and whose COPY sends these bytes. */
export function conversation(
  columns: readonly (readonly [string, number, string])[],
  copy: Uint8Array,
): (statement: string) => Buffer {
  const answered = (content: Uint8Array): Buffer =>
    Buffer.concat([message('1'), message('2'), content, message('C', 'SELECT 1\0'), READY]);
  return (statement) => {
    if (statement === '') return Buffer.concat([WELCOME, READY]);
    if (/^COPY/.test(statement)) return Buffer.from(copy);
    if (/LIMIT 0$/.test(statement))
      return answered(
        result(
          columns.map(([name, type]) => [name, type]),
          [],
        ),
      );
    if (/FROM pg_type/.test(statement)) {
      const rows = columns.map(([, type, name]) => [String(type), name, 'b', 'false']);
      return answered(
        result(
          [
            ['oid', 25],
            ['format_type', 25],
            ['typtype', 25],
            ['exists', 25],
          ],
          rows,
        ),
      );
    }
    return Buffer.concat([message('C', 'SET\0'), READY]);
  };
}
