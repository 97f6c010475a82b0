import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { openFile, pca, sparkSource } from 'scree';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DOUBLE, structOf } from '../../src/cluster/messages.js';
import { type Fields, message } from '../../src/cluster/protobuf.js';
import { PROGRAM } from '../command/binary.js';
import { type Answer, batch, type Call, complete, FakeServer, VERSION } from './fake-server.js';
import { certificate, type KeyPair } from './proxy.js';

const ROWS = Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(3 * i), (i % 7) / 7]);
const RESULT = tableToIPC(
  tableFromArrays({
    n0: Float64Array.from(ROWS, ([a]) => a),
    n1: Float64Array.from(ROWS, ([, b]) => b),
    n2: Float64Array.from(ROWS, ([, , c]) => c),
  }),
  'stream',
);
const SCHEMA = structOf(['a', 'b', 'c'].map((name) => ({ name, type: DOUBLE })));

/** A server with three columns, which answers so to our Python. */
async function serverWith(python: (times: number, version: string) => Answer, tls?: KeyPair): Promise<FakeServer> {
  let probes = 0;
  const server = await FakeServer.start((call: Call): Answer => {
    const { method, request } = call;
    if (method === 'AnalyzePlan') return request.has(4) ? { messages: [message([2, message([1, SCHEMA])])] } : VERSION;
    if (method !== 'ExecutePlan') return { messages: [new Uint8Array(0)] };
    const version = pythonOf(request);
    if (version !== undefined) return python(++probes, version);
    return { messages: [batch('a', RESULT), complete('b')] };
  }, tls);
  onTestFinished(() => server.stop());
  return server;
}

/** The version of Python that an execution asks for, if it has a function of ours. */
function pythonOf(request: Fields): string | undefined {
  return request.message(3)?.message(1)?.message(28)?.message(2)?.message(4)?.text(4);
}

const DONE: Answer = { messages: [complete('a')] };

describe('a table on Spark', () => {
  it('is read by the command over TLS, with a token that is printed and stored nowhere', async ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), 'scree-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const tls = certificate(folder);
    if (!tls) return skip('there is no openssl here');
    const server = await serverWith(() => ({ status: 13, text: "No module named 'numpy'" }), tls);
    const run = async (env: NodeJS.ProcessEnv): Promise<{ code: number | null; text: string }> => {
      const url = `${server.url}/;use_ssl=true;token=hush`;
      const words = [PROGRAM, 'fit', url, '--sql', 'select 1', '-k', '2', '-o', 'model.json', '--json'];
      const started = spawn(process.execPath, words, { cwd: folder, env: { ...process.env, ...env } });
      let text = '';
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (text += chunk));
      const code = await new Promise<number | null>((resolve) => started.on('close', resolve));
      return { code, text };
    };
    const unknown = await run({});
    expect(unknown).toMatchObject({
      code: 1,
      text: expect.stringMatching(/cannot be reached over TLS.*NODE_EXTRA_CA_CERTS/),
    });
    const known = await run({ NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') });
    expect(known.code).toBe(0);
    expect(server.calls.every(({ headers }) => headers.authorization === 'Bearer hush')).toBe(true);
    expect(unknown.text + known.text + readFileSync(join(folder, 'model.json'), 'utf8')).not.toContain('hush');
  });

  it.each([
    '[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.13 than that in driver: 3.11, PySpark cannot run with different minor versions.',
    'Python in worker has different version (3, 13) than that in driver 3.11, PySpark cannot run with different minor versions.',
  ])('takes the version of Python from: %s', async (text) => {
    const server = await serverWith((times) => (times === 1 ? { status: 13, text } : DONE));
    const file = await openFile(server.url, { sql: 'select 1' });
    expect(file.source.remote?.engine).toBe('spark');
    await file.close();
    expect(server.called('ExecutePlan').map(({ request }) => pythonOf(request))).toEqual(['3.11', '3.13']);
  });

  it.each([
    ["ModuleNotFoundError: No module named 'numpy'", /lack the Python package numpy/],
    ['PyArrow >= 15.0.0 must be installed; however, it was not found.', /lack the Python package pyarrow/],
    ['Python UDFs are not allowed on this cluster', /does not allow functions in Python/],
    ['MapPartitions is not supported', /does not allow functions in Python/],
    ['Cannot run program "python3": error=2, No such file or directory', /have no Python/],
  ])('reads rows over the network after: %s', async (text, why) => {
    const server = await serverWith(() => ({ status: 13, text }));
    const model = await pca(await sparkSource({ url: server.url, sql: 'select 1' }), { k: 2, engine: 'wasm' });
    const local = await pca(ROWS, { k: 2, engine: 'wasm', solver: 'covariance' });
    expect([...model.variances]).toEqual([...local.variances]);
    expect(model.warnings).toContainEqual(
      expect.objectContaining({ code: 'ENGINE_FALLBACK', message: expect.stringMatching(why) }),
    );
  });

  it('reads rows from the server once, however often they are needed', async () => {
    const server = await serverWith(() => DONE);
    const model = await pca(await sparkSource({ url: server.url, sql: 'select 1' }), {
      k: 2,
      engine: 'wasm',
      solver: 'svd',
    });
    expect(model.n).toBe(60);
    expect(server.called('ExecutePlan').filter(({ request }) => pythonOf(request) === undefined)).toHaveLength(1);
  });

  it('needs a table or a query, and not both', async () => {
    await expect(sparkSource({ url: 'sc://127.0.0.1:1' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    const both = { url: 'sc://127.0.0.1:1', table: 't', sql: 'select 1' };
    await expect(sparkSource(both)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(sparkSource({ url: 'http://host', sql: 'select 1' })).rejects.toMatchObject({ code: 'BAD_FILE' });
  });
});
