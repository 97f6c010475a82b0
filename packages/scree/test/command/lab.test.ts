import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPage } from '../../src/lab-server/page-files.js';
import { type Answer, PROGRAM, RunningLab } from './running-lab.js';

const folder = mkdtempSync(join(tmpdir(), 'scree-lab-'));
const running: RunningLab[] = [];

afterAll(async () => {
  await Promise.all(running.map((lab) => lab.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(args: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<RunningLab> {
  const lab = await RunningLab.start(folder, args, env);
  running.push(lab);
  return lab;
}

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return name;
};

const scree = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { code: status, out: stdout, err: stderr };
};

const TABLE = `a,b\n${Array.from({ length: 100 }, (_, i) => `${i},${i * i}`).join('\n')}\n`;
const NEIGHBOUR = 'nobody shall read this';
let lab: RunningLab;

beforeAll(async () => {
  write('table.csv', TABLE);
  write('neighbour.csv', NEIGHBOUR);
  lab = await start(['table.csv']);
});

describe('scree lab', () => {
  it('serves the page and its files below a token', async () => {
    expect(lab.token).toMatch(/^[0-9a-f]{32,}$/);
    expect(lab.address).toBe(`http://127.0.0.1:${lab.port}/${lab.token}/#/explore?file=data/table.csv`);
    const page = await lab.ask('');
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.headers['content-length']).toBe(String(page.body.length));
    const parts = Array.from(page.body.toString().matchAll(/(?:src|href)="\.\/([^"]+)"/g), ([, path]) => path);
    expect(parts.length).toBeGreaterThan(1);
    for (const path of parts) {
      const { status, headers } = await lab.ask(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    }
    expect((await lab.ask('index.html?x=1')).body).toEqual(page.body);
    const head = await lab.ask('', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(page.body.length) } });
    expect(head.body.length).toBe(0);
    expect(await lab.askAt(`/${lab.token}`)).toMatchObject({ status: 308, headers: { location: `/${lab.token}/` } });
  });

  it('has another token every time, and no data if none were named', async () => {
    const other = await start();
    expect(other.token).not.toBe(lab.token);
    expect(other.address).toBe(`http://127.0.0.1:${other.port}/${other.token}/`);
    expect((await other.ask('')).status).toBe(200);
    for (const path of ['data/', 'data/table.csv', 'data/undefined']) expect((await other.ask(path)).status).toBe(404);
  });

  it('gives nothing to requests without the token', async () => {
    const wrong = lab.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const first of [wrong, lab.token.slice(1), `${lab.token}0`, lab.token.toUpperCase(), `%${lab.token}`, '']) {
      for (const rest of ['', '/', '/index.html', '/data/table.csv']) {
        const { status, body } = await lab.askAt(`/${first}${rest}`);
        expect([status, body.includes('b\n0,0')], `/${first}${rest}`).toEqual([404, false]);
      }
    }
    expect((await lab.askAt('/', { Cookie: `token=${lab.token}`, Authorization: `Bearer ${lab.token}` })).status).toBe(
      404,
    );
    expect((await lab.askAt(`/?${lab.token}/`)).status).toBe(404);
  });

  it.runIf(process.platform === 'linux')('listens only on 127.0.0.1', () => {
    const sockets = readFileSync(`/proc/${lab.child.pid}/net/tcp`, 'utf8')
      .concat(existsSync('/proc/net/tcp6') ? readFileSync('/proc/net/tcp6', 'utf8') : '')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${hex(lab.port)}`) && state === '0A');
    expect(sockets.map(([, local]) => local)).toEqual([`0100007F:${hex(lab.port)}`]);
  });
});

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

describe('a request', () => {
  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    'localhost:PORT.evil.example',
    'localhost.evil.example:PORT',
    '127.0.0.1:PORT@evil.example',
    'evil.example, 127.0.0.1:PORT',
    '127.0.0.1.:PORT',
    '0.0.0.0:PORT',
    '127.1:PORT',
    '[::1]:PORT',
    '',
  ])('is rejected with the Host %j: DNS rebinding', async (host) => {
    const Host = host.replace('PORT', String(lab.port));
    expect((await lab.ask('', { Host })).status).toBe(403);
    expect((await lab.ask('data/table.csv', { Host })).body.toString()).not.toContain('0,0');
  });

  it('is rejected without a Host, or with two', async () => {
    const target = `/${lab.token}/`;
    const own = `Host: 127.0.0.1:${lab.port}`;
    for (const lines of [
      [`GET ${target} HTTP/1.1`, 'Connection: close'],
      [`GET ${target} HTTP/1.0`],
      [`GET ${target} HTTP/1.1`, own, 'Host: evil.example', 'Connection: close'],
      [`GET ${target} HTTP/1.1`, 'Host: evil.example', own, 'Connection: close'],
    ]) {
      expect([400, 403], lines.join(' | ')).toContain((await lab.raw(lines)).status);
    }
    // By the standard, the name inside the request line has precedence over Host. Here such a line is not a path.
    expect((await lab.askAt(`http://evil.example/${lab.token}/`)).status).toBe(404);
    expect((await lab.askAt(`http://127.0.0.1:${lab.port}/${lab.token}/`)).status).toBe(404);
  });

  it('is accepted with the Host localhost', async () => {
    expect((await lab.ask('', { Host: `localhost:${lab.port}` })).status).toBe(200);
    expect((await lab.ask('', { Host: `LocalHost:${lab.port}` })).status).toBe(200);
  });

  it('is accepted from the own page, and from no other origin', async () => {
    const own = `http://127.0.0.1:${lab.port}`;
    expect((await lab.ask('data/table.csv', { Origin: own })).status).toBe(200);
    for (const Origin of [
      'http://evil.example',
      'null',
      '',
      'http://127.0.0.1',
      `http://127.0.0.1:${lab.port - 1}`,
      `https://127.0.0.1:${lab.port}`,
      `http://localhost:${lab.port}`,
      `${own}.evil.example`,
      `${own}/`,
    ]) {
      const { status, headers } = await lab.ask('data/table.csv', { Origin });
      expect(status, Origin).toBe(403);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('is accepted if Sec-Fetch-Site is same-origin or none', async () => {
    for (const [site, status] of [
      ['same-origin', 200],
      ['none', 200],
      ['same-site', 403],
      ['cross-site', 403],
      ['anything', 403],
    ] as const) {
      expect((await lab.ask('', { 'Sec-Fetch-Site': site })).status, site).toBe(status);
    }
  });
});

describe('the server', () => {
  const up = ['..', '%2e%2e', '.%2E', '..%00', '%252e%252e', '..;', '%c0%ae%c0%ae', '．．'];
  const slashes = ['/', '%2f', '\\', '%5c', '%5C', '//', '%252f', '%c0%af', '／'];
  const spellings = up.flatMap((dots) =>
    slashes.flatMap((slash) => [
      `${dots}${slash}package.json`,
      `data/${dots}${slash}neighbour.csv`,
      `data${slash}${dots}${slash}data${slash}neighbour.csv`,
      `assets/${dots}${slash}${dots}${slash}server.js`,
      `data/table.csv${slash}${dots}${slash}neighbour.csv`,
    ]),
  );

  it(`serves no path with "..", in ${spellings.length} encodings`, async () => {
    const reachable: string[] = [];
    const targets = spellings.map((path) => Buffer.from(path).toString('latin1'));
    for (let i = 0; i < targets.length; i += 20) {
      await Promise.all(
        targets.slice(i, i + 20).map(async (path) => {
          if (![400, 404].includes((await lab.ask(path)).status)) reachable.push(path);
        }),
      );
    }
    expect(reachable).toEqual([]);
  });

  it('serves no absolute path, null byte, drive, folder or neighbouring file', async () => {
    const away = folder.replaceAll('/', '%2f');
    for (const path of [
      `data/${folder}/neighbour.csv`,
      `data/${away}%2fneighbour.csv`,
      `data/${away}%2ftable.csv`,
      'data/neighbour.csv',
      'data/./table.csv',
      'data//table.csv',
      '/data/table.csv',
      'data/table.csv/',
      'data/table.csv%00',
      'data/table.csv%00.html',
      'data/table.csv\0',
      'data/neighbour.csv%00table.csv',
      'data/TABLE.csv',
      'data/table.csv%20',
      'data/',
      'data',
      'data/%',
      'data/%ff',
      'data/%E0%A4%A',
      'etc/passwd',
      '/etc/passwd',
      'file:///etc/passwd',
      'C:/Windows/win.ini',
      'data/C:%5Ctable.csv',
      'assets',
      'assets/',
      'server.js',
      '__proto__',
      'constructor',
    ]) {
      const { status, body } = await lab.ask(path);
      expect([400, 404], path).toContain(status);
      expect(body.toString()).not.toContain(NEIGHBOUR);
    }
    for (const target of ['*', 'data/table.csv', `\\${lab.token}\\`, `//${lab.token}/`, `/./${lab.token}/`, '/%00']) {
      expect([400, 404], target).toContain((await lab.askAt(target)).status);
    }
  });

  it('accepts only GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      for (const path of ['', 'data/table.csv']) {
        const { status, headers } = await lab.ask(path, {}, method);
        // Node answers methods that it does not know as invalid HTTP.
        if (method === 'QUERY' && status === 400) continue;
        expect([status, headers.allow], `${method} ${path}`).toEqual([405, 'GET, HEAD']);
      }
    }
    const nonsense = await lab.ask('', {}, 'NONSENSE');
    expect(nonsense.status).toBe(400);
    // A tunnel is refused without a word.
    expect((await lab.exchange(`CONNECT 127.0.0.1:${lab.port} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)).length).toBe(0);
    // Without the token not even that is told.
    expect((await lab.askAt('/', {}, 'POST')).status).toBe(404);
  });

  it('does not wait for the body of a request', async () => {
    const host = `Host: 127.0.0.1:${lab.port}`;
    const target = `/${lab.token}/`;
    for (const [method, status] of [
      ['POST', 405],
      ['GET', 200],
    ] as const) {
      for (const more of [
        'Content-Length: 1000000000',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue\r\nContent-Length: 9',
      ]) {
        const answer = await lab.raw([`${method} ${target} HTTP/1.1`, host, more]);
        expect([answer.status, answer.headers.connection], `${method} ${more}`).toEqual([status, 'close']);
      }
    }
    expect((await lab.ask('', { Expect: 'the unexpected' })).status).toBe(200);
    expect((await lab.ask('', { Upgrade: 'websocket', Connection: 'Upgrade, close' })).status).toBe(200);
  });
});

describe('the data file', () => {
  const ranges: [string, string, number, number][] = [
    ['the beginning', 'bytes=0-9', 0, 10],
    ['a byte', 'bytes=5-5', 5, 6],
    ['the rest', 'bytes=100-', 100, TABLE.length],
    ['the end', 'bytes=-7', TABLE.length - 7, TABLE.length],
    ['more than there is', 'bytes=20-99999999999999999999999', 20, TABLE.length],
    ['an end longer than the file', 'bytes=-999999999999999999', 0, TABLE.length],
    ['everything', 'bytes=0-', 0, TABLE.length],
    ['an upper-case unit', 'BYTES=1-2', 1, 3],
  ];

  it('is sent whole, as bytes that the browser does not display', async () => {
    for (const path of ['data/table.csv', 'data/%74able.csv', 'data/table.csv?again']) {
      const { status, headers, body } = await lab.ask(path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(TABLE.length),
        'accept-ranges': 'bytes',
      });
      expect(body.toString()).toBe(TABLE);
    }
    const head = await lab.ask('data/table.csv', { Range: 'bytes=0-9' }, 'HEAD');
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(TABLE.length) } });
    expect(head.body.length).toBe(0);
  });

  it.each(ranges)('is sent in ranges: %s', async (_, Range, from, to) => {
    const { status, headers, body } = await lab.ask('data/table.csv', { Range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${from}-${to - 1}/${TABLE.length}`);
    expect(headers['content-length']).toBe(String(to - from));
    expect(body.toString()).toBe(TABLE.slice(from, to));
  });

  it.each([
    'bytes=0-1,5-6',
    'bytes=0-0,-1',
    `bytes=${TABLE.length}-`,
    `bytes=${TABLE.length}-${TABLE.length + 5}`,
    'bytes=99999999999999999999999999-',
    'bytes=-0',
    'bytes=9-2',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes=0x0-0x9',
    'bytes=1.5-3',
    'bytes=--5',
    'bytes = 0-5',
    'bytes=0-5;',
  ])('has no %s', async (Range) => {
    const { status, headers, body } = await lab.ask('data/table.csv', { Range });
    expect([status, headers['content-range']]).toEqual([416, `bytes */${TABLE.length}`]);
    expect(body.toString()).not.toContain('0,0');
  });

  it('is sent whole if the range does not apply', async () => {
    expect((await lab.ask('data/table.csv', { Range: 'rows=0-5' })).status).toBe(200);
    expect((await lab.ask('data/table.csv', { Range: 'bytes=0-5', 'If-Range': '"x"' })).status).toBe(200);
  });

  it.each([
    'with space.csv',
    `quotes'"\`.csv`,
    'ünï-数据-🏔.csv',
    '100%.csv',
    'a%20b%2fc%00.csv',
    'a#b?c&d=e+f.csv',
    '<img src=x onerror=alert(1)>.csv',
    '..hidden..csv',
    'index.html',
    ...(process.platform === 'win32' ? [] : ['back\\slash.csv', 'line\nfeed.csv', '-.csv']),
  ])('may have the name %j', async (name) => {
    const content = `x,y\n1,2\n${name}`;
    const named = await start(['--', write(name, content)]);
    expect(named.out).toMatch(/^[\x20-\x7e]+\n$/);
    // The page's way: an address relative to it, which the browser makes absolute.
    const response = await fetch(new URL(named.file, named.address));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(content);
    expect(decodeURIComponent(named.file)).toBe(`data/${name}`);
    expect((await named.ask('')).body.toString()).toContain('<html');
    await named.stop();
  });

  it('may be in another folder or behind a link', async () => {
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    write('deep/er/x.csv', 'x\n1\n');
    const deep = await start(['deep/er/../er/x.csv']);
    expect(deep.file).toBe('data/x.csv');
    expect((await deep.ask('data/x.csv')).body.toString()).toBe('x\n1\n');
    expect((await deep.ask('data/deep%2fer%2fx.csv')).status).toBe(404);
    await deep.stop();
    if (process.platform === 'win32') return;
    symlinkSync(join(folder, 'deep/er/x.csv'), join(folder, 'link.csv'));
    const linked = await start(['link.csv']);
    expect((await linked.ask('data/link.csv')).body.toString()).toBe('x\n1\n');
    await linked.stop();
  });

  const LONG_AGO = 1_000_000_000;
  const changes: [string, (path: string) => void][] = [
    ['grown', (path) => appendFileSync(path, 'more')],
    ['written anew at the same length', (path) => writeFileSync(path, 'x,y\n3,4\n')],
    [
      'replaced by another',
      (path) => {
        writeFileSync(`${path}.new`, 'x,y\n3,4\n');
        utimesSync(`${path}.new`, LONG_AGO, LONG_AGO);
        renameSync(`${path}.new`, path);
      },
    ],
    ['gone', unlinkSync],
    [
      'a folder',
      (path) => {
        unlinkSync(path);
        mkdirSync(path);
      },
    ],
    ...(process.platform === 'win32'
      ? []
      : ([
          [
            'a pipe',
            (path) => {
              unlinkSync(path);
              spawnSync('mkfifo', [path]);
            },
          ],
        ] as [string, (path: string) => void][])),
  ];
  it.each(changes)('is rejected after it was %s, but the page stays', async (what, change) => {
    const name = write(`${what.replaceAll(' ', '-')}.csv`, 'x,y\n1,2\n');
    utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
    const other = await start([name]);
    expect((await other.ask(other.file)).status).toBe(200);
    change(join(folder, name));
    for (const headers of [{}, { Range: 'bytes=0-1' }]) {
      const { status, body } = await other.ask(other.file, headers);
      expect(status).toBe(409);
      expect(body.toString()).toBe('The file has changed or gone since the lab was started. Start it again.\n');
    }
    expect((await other.ask(other.file, {}, 'HEAD')).status).toBe(409);
    expect((await other.ask('')).status).toBe(200);
    await other.stop();
  });

  it('never arrives complete if it changes while it is sent', async () => {
    const size = 64 * 2 ** 20;
    for (const [name, change] of [
      ['cut.npy', (path: string) => writeFileSync(path, 'short')],
      ['overwritten.npy', (path: string) => void writeSync(openSync(path, 'r+'), 'other', 1000)],
    ] as const) {
      write(name, Buffer.alloc(size, 1));
      const other = await start([name]);
      const received = await new Promise<number>((resolve) => {
        let bytes = 0;
        const socket = other.connect();
        socket.once('data', (chunk) => {
          bytes += chunk.length;
          socket.pause();
          change(join(folder, name));
          setTimeout(() => {
            socket.on('data', (next) => {
              bytes += next.length;
            });
            socket.resume();
          }, 200);
        });
        socket.on('close', () => resolve(bytes));
        socket.write(`GET /${other.token}/data/${name} HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\n\r\n`);
      });
      expect(received).toBeLessThan(size);
      expect((await other.ask('')).status).toBe(200);
      await other.stop();
    }
  });

  it('is streamed: 512 MB take little memory, and the last bytes come at once', async () => {
    const path = join(folder, 'large.npy');
    writeFileSync(path, '');
    const file = openSync(path, 'r+');
    writeSync(file, 'the end', 2 ** 29);
    const other = await start(['large.npy']);
    const tail = await other.ask('data/large.npy', { Range: `bytes=${2 ** 29}-` });
    expect(tail.body.toString()).toBe('the end');
    let received = 0;
    const response = await fetch(new URL(other.file, other.address));
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) received += chunk.length;
    expect(received).toBe(2 ** 29 + 7);
    if (process.platform === 'linux') {
      const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${other.child.pid}/status`, 'utf8'))?.[1]);
      expect(peak).toBeLessThan(250 * 1024);
    }
    await other.stop();
    unlinkSync(path);
  });
});

describe('requests that are not valid', () => {
  it('that are not HTTP, or have too many headers, get an error with the usual headers', async () => {
    expect((await lab.raw(['rubbish'])).status).toBe(400);
    expect((await lab.raw(['GET / HTTP/1.1', 'Host: x', 'Content-Length: a'])).status).toBe(400);
    expect((await lab.raw(['GET / HTTP/1.1', `Cookie: ${'x'.repeat(20_000)}`])).status).toBe(431);
    expect((await lab.askAt(`/${'x'.repeat(20_000)}`)).status).toBe(431);
    expect((await lab.exchange('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')).toString()).toMatch(/^HTTP\/1\.1 400/);
  });

  it('that are never completed get an error, and the connection is closed', async () => {
    const began = Date.now();
    const answer = await lab.exchange(`GET /${lab.token}/ HTTP/1.1\r\nHost: 127.0.0.1`);
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*default-src 'none'/);
    expect(Date.now() - began).toBeLessThan(15_000);
    expect((await lab.ask('')).status).toBe(200);
  });

  const REQUESTS: [string, string][] = [
    ['say nothing', ''],
    ['stop in the middle of a request', 'GET / HTTP/1.1\r\nHost: '],
    ['ask without the token, and keep the connection', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['ask again and again, and read no answer', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)],
  ];
  it.each(REQUESTS)('two hundred connections that %s do not keep other clients out', async (_, text) => {
    const sockets = await hold(lab, 200, text);
    for (let i = 0; i < 5; i++) expect((await lab.ask('')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('a client without the token gets one response per connection', async () => {
    const answers = await lab.exchange('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
    expect(answers.toString().match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  });

  it('a download goes on while two hundred others connect', async () => {
    const size = 64 * 2 ** 20;
    write('download.npy', Buffer.alloc(size, 1));
    const other = await start(['download.npy']);
    const download = other.connect();
    let received = 0;
    const started = new Promise<void>((resolve) => {
      download.once('data', () => {
        download.pause();
        resolve();
      });
    });
    download.on('data', (chunk) => {
      received += chunk.length;
    });
    const ended = new Promise((resolve) => download.once('close', resolve));
    const lines = [
      `GET /${other.token}/data/download.npy HTTP/1.1`,
      `Host: 127.0.0.1:${other.port}`,
      'Connection: close',
    ];
    download.write(`${lines.join('\r\n')}\r\n\r\n`);
    await started;
    const sockets = await hold(other, 200, '');
    download.resume();
    await ended;
    expect(received).toBeGreaterThan(size);
    for (const socket of sockets) socket.destroy();
    await other.stop();
  });

  it('idle connections of the page are closed for new ones too', async () => {
    const sockets = await hold(lab, 100, `GET /${lab.token}/ HTTP/1.1\r\nHost: 127.0.0.1:${lab.port}\r\n\r\n`);
    expect((await lab.ask('')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  /** Opens `count` connections, sends the same text on each, reads nothing, and waits until the server has seen the last one. */
  async function hold(target: RunningLab, count: number, text: string): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => target.connect().pause());
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve).once('connect', resolve))),
    );
    for (const socket of sockets) socket.write(text);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sockets;
  }
});

describe('the process', () => {
  it('ends at once with exit code 0 at Ctrl-C, even with open connections', async () => {
    write('stalled.npy', Buffer.alloc(32 * 2 ** 20));
    const other = await start(['stalled.npy']);
    const host = `Host: 127.0.0.1:${other.port}`;
    const sockets = [
      // Idle, kept alive, half a request, and a download that the client does not read.
      '',
      `GET /${other.token}/ HTTP/1.1\r\n${host}\r\n\r\n`,
      'GET / HTTP/1.1\r\nHost:',
      `GET /${other.token}/data/stalled.npy HTTP/1.1\r\n${host}\r\n\r\n`,
    ].map((text) => {
      const socket = other.connect();
      socket.write(text);
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const socket of sockets) socket.pause();
    const asked = Date.now();
    expect(await other.stop()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(2000);
    expect(other.err).toBe('');
    for (const socket of sockets) socket.destroy();
    const again = await start(['--port', String(other.port)]);
    expect(again.port).toBe(other.port);
    again.child.kill('SIGTERM');
    expect(await again.ended).toBe(0);
  });

  it('reports that a port is in use or invalid', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    expect(scree('lab', '--no-open', '--port', String(port))).toEqual({
      code: 1,
      out: '',
      err: `scree: Port ${port} is in use. Choose another, or leave --port out.\n`,
    });
    taken.close();
    for (const wrong of ['0', '65536', '-1', '80.5', 'http', '']) {
      const { code, err } = scree('lab', '--no-open', `--port=${wrong}`);
      expect([code, err]).toEqual([2, expect.stringMatching(/it must be a whole number from 1 to 65535/)]);
    }
  });

  it('reports an error in the data before it opens the browser', () => {
    write('empty.csv', '');
    mkdirSync(join(folder, 'folder.csv'));
    const wrong: [string[], number, RegExp][] = [
      [['missing.csv'], 1, /There is no file missing\.csv \(ENOENT\)/],
      [['table.csv/x'], 1, /There is no file/],
      [['folder.csv'], 1, /folder\.csv is a folder/],
      [['empty.csv'], 1, /empty\.csv is empty/],
      [['-'], 2, /not standard input/],
      [['table.csv', 'neighbour.csv'], 2, /scree lab takes \[DATA\], not table\.csv neighbour\.csv/],
      [['table.csv', '--no-opn'], 2, /Did you mean --no-open\?/],
    ];
    if (process.platform !== 'win32') {
      spawnSync('mkfifo', [join(folder, 'pipe.csv')]);
      wrong.push([['pipe.csv'], 1, /pipe\.csv is not a regular file/], [['/dev/null'], 1, /not a regular file/]);
    }
    if (process.getuid?.() !== 0 && process.platform !== 'win32') {
      chmodSync(join(folder, write('secret.csv', 'x')), 0);
      wrong.push([['secret.csv'], 1, /must not be read by this user/]);
    }
    for (const [args, code, message] of wrong) {
      const outcome = scree('lab', '--no-open', ...args);
      expect(outcome, args.join(' ')).toMatchObject({ code, out: '', err: expect.stringMatching(message) });
      expect(outcome.err.trim().split('\n').length).toBeLessThanOrEqual(2);
    }
  });

  it('reports that the lab is not built', async () => {
    await expect(readPage(join(folder, 'nowhere'))).rejects.toThrow('The lab is not built: npm run build.');
    await expect(readPage(mkdtempSync(join(folder, 'unbuilt-')))).rejects.toMatchObject({ code: 'NO_FILE' });
  });

  it('has help that ends in examples, and completion', () => {
    expect(scree('lab', '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Examples:[\s\S]*scree lab data\.csv/),
    });
    expect(scree('completion', 'bash').out).toMatch(/lab\) flags="--port --no-open/);
  });
});

describe.runIf(process.platform === 'linux')('the browser', () => {
  /** A PATH whose xdg-open is this script. */
  function pathWith(name: string, script: string): NodeJS.ProcessEnv {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: [join(folder, name), process.env.PATH].join(delimiter), TOLD: join(folder, name, 'told') };
  }

  async function until(what: () => boolean, milliseconds = 5000): Promise<void> {
    const tries = milliseconds / 50;
    for (let tried = 0; tried < tries && !what(); tried++) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(what()).toBe(true);
  }

  const told = async (env: NodeJS.ProcessEnv): Promise<string> => {
    await until(() => existsSync(env.TOLD as string));
    return readFileSync(env.TOLD as string, 'utf8').trimEnd();
  };
  const RECORD = 'printf "%s\\n" "$@" > "$TOLD.part" && mv "$TOLD.part" "$TOLD"';
  /** The path of the one-time address inside the redirect file. */
  const ticketIn = (file: string): string => {
    const [, address] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? [];
    return new URL(address ?? '').pathname;
  };

  it('is started with a file that only this user can read: no secret is on its command line', async () => {
    const env = pathWith('working', RECORD);
    const other = await start(['table.csv'], env);
    const file = await told(env);
    expect(file.startsWith(join(tmpdir(), 'scree-'))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    if (process.getuid?.() === 0) {
      const [uid, gid] = [65534, 65534];
      expect(spawnSync('cat', [file], { uid, gid, encoding: 'utf8' })).toMatchObject({ status: 1, stdout: '' });
    }
    const ticket = ticketIn(file);
    expect(ticket).toMatch(/^\/[0-9a-f]{32,}$/);
    expect(ticket).not.toContain(other.token);
    expect(file).not.toContain(ticket.slice(1));
  });

  it('reads an address from the file that works once, and the file is removed', async () => {
    const env = pathWith('once', RECORD);
    const other = await start(['table.csv'], env);
    const file = await told(env);
    const ticket = ticketIn(file);
    const leadsToPage = (answer: Answer): void => {
      expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    };
    leadsToPage(await other.askAt(ticket, {}, 'HEAD'));
    for (const wrong of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'document' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', Origin: 'null' },
    ]) {
      expect((await other.askAt(ticket, wrong)).status).toBe(403);
    }
    // Links on other sites must not open the page, even with the right address.
    const opens = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await other.ask('', opens)).status).toBe(403);
    expect((await other.askAt(`${ticket}/`)).status).toBe(404);
    expect((await other.askAt(`${ticket}/data/table.csv`)).status).toBe(404);
    expect(existsSync(file)).toBe(true);
    const answer = await other.askAt(ticket, opens);
    leadsToPage(answer);
    expect(answer.body.toString()).toContain(`content="0; url=/${other.token}/#/explore?file=data/table.csv"`);
    expect(existsSync(dirname(file))).toBe(false);
    expect((await other.askAt(ticket, opens)).status).not.toBe(200);
    expect((await other.askAt(ticket)).status).toBe(404);
    expect(other.err).toBe('');
  });

  it('can use neither the file nor its address after the page was opened in another way', async () => {
    const env = pathWith('slow', RECORD);
    const other = await start([], env);
    const file = await told(env);
    const ticket = ticketIn(file);
    expect((await other.ask('')).status).toBe(200);
    expect((await other.askAt(ticket)).status).toBe(404);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves no file behind at %s', async (signal) => {
    const env = pathWith(`ended-by-${signal}`, RECORD);
    const other = await start([], env);
    const file = await told(env);
    expect(existsSync(file)).toBe(true);
    other.child.kill(signal);
    await other.ended;
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('that cannot read the file is reported, with advice', async () => {
    const env = pathWith('confined', RECORD);
    const other = await start([], env);
    const file = await told(env);
    await until(() => other.err !== '', 15_000);
    expect(other.err).toContain('If it cannot read this file, open the address above in it');
    expect(other.err).toContain(file);
  });

  it('may fail or be missing', async () => {
    const line = 'No browser could be started: open that address in one.\n';
    for (const env of [
      pathWith('failing', 'exit 3'),
      { PATH: join(folder, 'nowhere') },
      { ...pathWith('no-temporary-folder', 'exit 0'), TMPDIR: join(folder, 'nowhere') },
    ]) {
      const other = await start(['table.csv'], env);
      await until(() => other.err !== '');
      expect(other.err).toBe(line);
      expect((await other.ask('')).status).toBe(200);
      expect(await other.stop()).toBe(0);
    }
  });
});
