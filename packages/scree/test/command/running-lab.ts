import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** The real binary. */
export const PROGRAM = fileURLToPath(new URL('../../dist/bin/scree.js', import.meta.url));

/** The headers of every answer. They are written out here, so that the test does not depend on the server's own list. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `scree lab`, as a user has it running. */
export class RunningLab {
  readonly child: ChildProcess;
  /** As it was printed. */
  readonly address: string;
  readonly token: string;
  readonly port: number;
  readonly ended: Promise<number | null>;
  out = '';
  err = '';

  private constructor(child: ChildProcess, address: string, ended: Promise<number | null>) {
    const { port, pathname } = new URL(address);
    this.child = child;
    this.address = address;
    this.port = Number(port);
    this.token = pathname.slice(1, -1);
    this.ended = ended;
  }

  /** Started in a folder; the browser is left alone unless `env` says what is one. */
  static async start(folder: string, args: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<RunningLab> {
    const child = spawn(process.execPath, [PROGRAM, 'lab', ...(env ? [] : ['--no-open']), ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    let [out, err] = ['', ''];
    child.stderr.on('data', (text) => {
      err += text;
      if (lab) lab.err = err;
    });
    let lab: RunningLab | undefined;
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (text) => {
        out += text;
        const [, found] = /^The lab is at (http:\S+) \(Ctrl-C ends it\)\n$/.exec(out) ?? [];
        if (found) resolve(found);
        if (lab) lab.out = out;
      });
      void ended.then((code) => reject(new Error(`scree lab ended with ${code}: ${out}${err}`)));
    });
    lab = new RunningLab(child, address, ended);
    lab.out = out;
    lab.err = err;
    return lab;
  }

  /** Asks it to end, and waits until it has. */
  stop(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended;
  }

  connect(): Socket {
    return connect(this.port, '127.0.0.1').on('error', () => {});
  }

  /** Sends these bytes; everything that comes back until the server hangs up. */
  exchange(bytes: string | Uint8Array): Promise<Buffer> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const socket = this.connect();
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('close', () => resolve(Buffer.concat(chunks)));
      socket.write(bytes);
    });
  }

  /** Sends these lines as they are, and reads one answer, which must have all the headers. */
  async raw(lines: readonly string[], body = ''): Promise<Answer> {
    return readAnswer(await this.exchange(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')));
  }

  /** Asks for something below the token, as a well-behaved client would but for what is given. */
  ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
    return this.askAt(`/${this.token}/${path}`, headers, method);
  }

  askAt(target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
    const all = { Host: `127.0.0.1:${this.port}`, Connection: 'close', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return this.raw([`${method} ${target} HTTP/1.1`, ...lines]);
  }

  /** The address of the data, found as the page finds it: see `route.ts` of the lab. */
  get file(): string {
    const file = new URLSearchParams(this.address.split('?', 2)[1]).get('file');
    if (file === null) throw new Error(`no file in ${this.address}`);
    return file;
  }
}

function readAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first, ...lines] = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  expect(headers, `headers of ${first}`).toMatchObject(HEADERS);
  return { status, headers, body: bytes.subarray(end + 4) };
}
