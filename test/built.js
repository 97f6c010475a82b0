/**
 * Checks the built packages with the Node that runs this script: the parts that depend on the version of Node or on the
 * versions of dependencies. `node test/built.js [folder]`, where `folder/node_modules` has scree; the repository otherwise.
 *
 * These are plain assertions on what is shipped, because test runners do not run on every version that we support.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const installed = createRequire(join(root, 'package.json'));
const library = pathToFileURL(installed.resolve('scree')).href;
const manifest = installed.resolve('scree/package.json');
const program = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.scree);

/** Milliseconds after which a process hangs: each takes less than one second. */
const PATIENCE = 30_000;
/** On Node 20, every second process hung at its end when its output was piped: this many in a row do not. */
const RUNS = 20;

const folder = mkdtempSync(join(tmpdir(), 'scree-built-'));
const file = (name) => join(folder, name);

function node(...args) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  assert.equal(status, 0, `${signal === 'SIGKILL' ? 'did not end: ' : ''}node ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}
const scree = (...args) => node(program, ...args);
const variances = (...args) => JSON.parse(node(...args, '--json', '-q')).variances;

function assertClose(actual, expected, tolerance = 1e-10) {
  assert.equal(actual.length, expected.length);
  for (const [i, value] of expected.entries()) {
    assert.ok(Math.abs(actual[i] - value) <= tolerance * expected[0], `${actual[i]} is not ${value}`);
  }
}

const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
const rows = Array.from({ length: 120 }, (_, i) => names.map((_, j) => Math.sin(i * (j + 1)) + (i % 7)));
const lines = `${rows.map((row) => row.join()).join('\n')}\n`;
writeFileSync(file('data.csv'), `${names}\n${lines}`);
// Long enough for a thread that parses.
writeFileSync(file('long.csv'), `${names}\n${lines.repeat(200)}`);

const checks = {
  async 'the library: threads change no bit, and the engines agree'() {
    const { pca } = await import(library);
    const cols = 64;
    const data = new Float64Array(4000 * cols).map((_, i) => Math.sin(i * i) * (1 + (i % cols)));
    const modelOf = (options) =>
      pca({ rows: data.length / cols, cols, data }, { k: 5, solver: 'covariance', ...options });
    const one = await modelOf({ engine: 'wasm', threads: 1 });
    for (const threads of [2, 3, 4]) {
      const more = await modelOf({ engine: 'wasm', threads });
      assert.deepEqual(more.variances, one.variances);
      assert.deepEqual(more.components, one.components);
    }
    assertClose((await modelOf({ engine: 'reference' })).variances, one.variances);
    const { engines } = JSON.parse(scree('doctor', '--json'));
    assert.equal(engines.find(({ name }) => name === 'wasm')?.available, true);
    if (engines.find(({ name }) => name === 'blas')?.available) {
      assertClose((await modelOf({ engine: 'blas' })).variances, one.variances);
    } else console.log('    blas is not on this machine: not checked');
  },

  'the library: a program ends by itself when its fit is done'() {
    const code = `import { pca } from ${JSON.stringify(library)};
      const data = Float64Array.from({ length: 2400 }, (_, i) => Math.sin(i * i));
      const model = await pca({ rows: 120, cols: 20, data }, { threads: 2 });
      await model.transform({ rows: 120, cols: 20, data });
      console.log('done');`;
    for (let i = 0; i < RUNS; i++) assert.equal(node('--input-type=module', '--eval', code), 'done\n');
  },

  'every command does its work'() {
    scree('fit', 'data.csv', '-k', '3', '-o', 'model.json', '-q');
    scree('inspect', 'model.json');
    scree('transform', 'model.json', 'data.csv', '-o', 'scores.npy', '-q');
    scree('reconstruct', 'model.json', 'scores.npy', '-o', 'back.csv', '-q');
    assert.equal(readFileSync(file('back.csv'), 'utf8').trimEnd().split('\n').length, rows.length + 1);
    scree('report', 'data.csv', '-o', 'report.html', '-q');
    assert.match(readFileSync(file('report.html'), 'utf8'), /<svg/);
    scree('compress', 'data.csv', '--all', '-o', 'data.scree', '-q');
    scree('decompress', 'data.scree', '-o', 'again.npy', '-q');
    assertClose(variances(program, 'fit', 'again.npy'), variances(program, 'fit', 'data.csv'), 1e-2);
  },

  'a command ends when its output is piped'() {
    for (let i = 0; i < RUNS; i++) scree('transform', 'model.json', 'data.csv', '-q', '-o', 'scores.csv');
  },

  'long text is parsed in a thread'() {
    assert.equal(JSON.parse(scree('fit', 'long.csv', '--json', '-q')).n, 200 * rows.length);
  },

  async 'zstd: read, and refused after any change that changes the data'() {
    const { openFile } = await import(library);
    // `zstd --check` of seven lines of text.
    const packed = Buffer.from(
      '28b52ffd242a150100a282070bc01d03fcdf6deb020907b310e308736c20cb02317d70d703b81cb0eb1900a3065700',
      'hex',
    );
    const read = async (bytes) => {
      writeFileSync(file('packed.csv.zst'), bytes);
      const opened = await openFile(file('packed.csv.zst'));
      try {
        const values = [];
        for await (const { rows, cols, data } of opened.source.blocks()) values.push(...data.subarray(0, rows * cols));
        return values.join();
      } finally {
        await opened.close();
      }
    };
    const right = await read(packed);
    assert.equal(right, '1,2,9,3,5,8,8,4,1,2,2,2,7,1,3,9,9,1');
    const wrong = [];
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      const changed = Buffer.from(packed);
      changed[bit >> 3] ^= 1 << (bit & 7);
      const values = await read(changed).catch(() => right);
      if (values !== right) wrong.push(bit);
    }
    assert.deepEqual(wrong, [], 'changed bits that gave other numbers');
  },

  'Parquet and databases are read: DuckDB and SQLite load'() {
    const expected = variances(program, 'fit', 'data.csv');
    const values = rows.map((row) => `(${row.join()})`).join();
    scree('transform', 'model.json', 'data.csv', '-o', 'scores.parquet', '-q');
    assertClose(variances(program, 'fit', 'scores.parquet'), expected.slice(0, 3));
    assertClose(variances(program, 'fit', 'data.csv', '--sql', 'SELECT * FROM data'), expected);
    const { Database } = createRequire(manifest)('node-sqlite3-wasm');
    const database = new Database(file('data.sqlite'));
    database.exec(`CREATE TABLE data (${names}); INSERT INTO data VALUES ${values}`);
    database.close();
    assertClose(variances(program, 'fit', 'data.sqlite'), expected);
  },

  'a Node with fewer rights or without WebAssembly still fits'() {
    const flags = process.allowedNodeEnvironmentFlags;
    const permission = flags.has('--permission') ? '--permission' : '--experimental-permission';
    const files = [permission, '--no-warnings', '--allow-fs-read=*', '--allow-fs-write=*'];
    const long = variances(program, 'fit', 'long.csv');
    for (const rights of [[...files, '--allow-worker'], files]) {
      assertClose(variances(...rights, program, 'fit', 'long.csv'), long);
    }
    // Without a compiler everything is slow, and what is asked of the rows by default much slower than the fit.
    assertClose(
      variances('--jitless', program, 'fit', 'data.csv', '--bootstrap', '0'),
      variances(program, 'fit', 'data.csv'),
    );
  },

  async 'the lab starts, answers and stops'() {
    const lab = spawn(process.execPath, [program, 'lab', 'data.csv', '--no-open'], { cwd: folder });
    const ended = once(lab, 'exit');
    const deadline = setTimeout(() => lab.kill('SIGKILL'), PATIENCE);
    let [out, err] = ['', ''];
    lab.stderr.on('data', (text) => {
      err += text;
    });
    for await (const text of lab.stdout.iterator({ destroyOnReturn: false })) {
      out += text;
      if (out.includes('\n')) break;
    }
    const address = /http:\S+/.exec(out)?.[0];
    assert.ok(address, `${out}${err}`);
    assert.match(await (await fetch(address)).text(), /<html/);
    const data = await fetch(new URL('data/data.csv', address), { headers: { Range: 'bytes=0-2' } });
    assert.deepEqual([data.status, await data.text()], [206, 'c0,']);
    lab.kill('SIGINT');
    const [code] = await ended;
    clearTimeout(deadline);
    // Windows has no signals: there the process is ended at once.
    if (process.platform !== 'win32') assert.equal(code, 0, err);
  },
};

assert.ok(existsSync(program), `${program} is not there: npm run build`);
let failures = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`  ok    ${name}`);
  } catch (error) {
    failures++;
    console.log(`  FAIL  ${name}\n${String(error.message).replace(/^/gm, '        ')}`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 ? 0 : 1;
