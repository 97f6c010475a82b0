import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

export interface KeyPair {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** A key and a certificate for 127.0.0.1 that no authority signed, also as cert.pem in a folder. Undefined without openssl. */
export function certificate(folder: string): KeyPair | undefined {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=scree'];
  const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [...request, ...files]);
  return made.status === 0 ? { key: readFileSync(key), cert: readFileSync(cert) } : undefined;
}

/** Passes connections on to a server, and cuts them when a test says so. With `tls` its clients speak TLS; the server never does. */
export class TcpProxy {
  readonly #server: ReturnType<typeof createServer>;
  readonly #open = new Set<Socket>();
  /** Connections that were made. */
  connections = 0;
  /** Called with the bytes that the server has sent so far, whenever it sends some, before they are passed on. */
  onBytes: (bytes: number) => void = () => {};

  /** To a server at sc://127.0.0.1:port. */
  static async start(url: string, tls?: KeyPair): Promise<TcpProxy> {
    const proxy = new TcpProxy(Number(new URL(url.replace('sc:', 'http:')).port), tls);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(port: number, tls: KeyPair | undefined) {
    let bytes = 0;
    const pass = (client: Socket): void => {
      this.connections++;
      const server = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, server],
        [server, client],
      ]) {
        this.#open.add(from);
        from.on('error', () => {});
        from.on('close', () => {
          this.#open.delete(from);
          to.destroy();
        });
      }
      client.pipe(server);
      server.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        this.onBytes(bytes);
        if (!client.destroyed && !client.write(chunk)) {
          server.pause();
          client.once('drain', () => server.resume());
        }
      });
    };
    this.#server = tls ? createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, pass) : createServer(pass);
    this.#server.on('tlsClientError', () => {});
  }

  get url(): string {
    return `sc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts all connections. New ones can be made. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
