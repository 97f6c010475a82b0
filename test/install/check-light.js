/**
 * Checks of scree where nothing was installed beside it: what the installation brings, and that commands work or say what to install. Run it
 * in a folder whose node_modules has scree. It prints a line per check, and ends with 1 if one fails.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MAX_BYTES = 15e6;
const MAX_PACKAGES = 25;
/** Milliseconds that a command may take. */
const PATIENCE = 60_000;

const modules = resolve('node_modules');
const program = join(modules, 'scree/bin/scree.js');
const folder = resolve('check-light');
mkdirSync(folder);
const rows = Array.from({ length: 60 }, (_, i) => [Math.sin(i) + i / 9, Math.cos(i * i), i / 9, 'ab'[i % 2]]);
writeFileSync(join(folder, 'data.csv'), `height,weight,age,kind\n${rows.map((row) => row.join()).join('\n')}\n`);
// The first bytes of a DuckDB database.
writeFileSync(join(folder, 'shop.duckdb'), `${'\0'.repeat(8)}DUCK${'\0'.repeat(4084)}`);

/** Runs a command. Returns what it printed. */
function scree(line, status = 0) {
  const run = spawnSync(process.execPath, [program, ...line.split(' ')], {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE,
  });
  assert.equal(run.status, status, `scree ${line}\n${run.stdout}${run.stderr}`);
  return run.stdout + run.stderr;
}

/** Every folder below node_modules that holds a package, with its manifest. */
function installed(path = modules) {
  return readdirSync(path, { withFileTypes: true }).flatMap(({ name }) => {
    const each = join(path, name);
    if (name.startsWith('.')) return [];
    if (name.startsWith('@')) return installed(each);
    const manifest = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8'));
    const inside = readdirSync(each).includes('node_modules') ? installed(join(each, 'node_modules')) : [];
    return [manifest, ...inside];
  });
}

const checks = {
  'the installation is small, and runs no script'() {
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const bytes = files.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
    const packages = installed();
    console.log(`        ${(bytes / 1e6).toFixed(1)} MB in ${packages.length} packages`);
    assert.ok(bytes <= MAX_BYTES);
    assert.ok(packages.length <= MAX_PACKAGES);
    for (const { name, scripts = {} } of packages)
      for (const script of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[script], undefined, name);
  },

  'CSV, reports and stored models work'() {
    assert.match(scree('analyze data.csv --label kind'), /PC +share +total/);
    scree('fit data.csv --label kind -k 2 -o model.json');
    scree('transform model.json data.csv --label kind -o scores.csv');
    scree('report data.csv --label kind -o report.html');
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /<svg/);
  },

  'Parquet works'() {
    scree('transform model.json data.csv --label kind -o scores.parquet');
    const variancesOf = (file) => JSON.parse(scree(`fit ${file} -q --json`)).variances;
    assert.deepEqual(variancesOf('scores.parquet'), variancesOf('scores.csv'));
  },

  async 'the lab works'() {
    const lab = spawn(process.execPath, [program, 'lab', 'data.csv', '--no-open'], { cwd: folder });
    const deadline = setTimeout(() => lab.kill('SIGKILL'), PATIENCE);
    try {
      let printed = '';
      for await (const text of lab.stdout) {
        printed += text;
        const address = /http:\S+/.exec(printed)?.[0];
        if (address === undefined) continue;
        assert.match(await (await fetch(address)).text(), /<html/);
        return;
      }
      assert.fail(`The lab ended: ${printed}`);
    } finally {
      clearTimeout(deadline);
      lab.kill('SIGKILL');
    }
  },

  'what needs another package says which'() {
    const duckDb = /@duckdb\/node-api, which is not installed \(npm install @duckdb\/node-api\)/;
    assert.match(scree('fit shop.duckdb', 1), duckDb);
    assert.match(scree('fit data.csv --sql select(1)', 1), duckDb);
    assert.match(
      scree('fit postgres://localhost:1/shop', 1),
      /pg, which is not installed \(npm install pg pg-copy-streams\)/,
    );
    assert.match(scree('fit data.csv --label kind --engine blas', 1), /koffi is not installed \(npm install koffi\)/);
    assert.match(
      scree('fit data.csv --label kind --engine webgpu', 1),
      /webgpu is not installed \(npm install webgpu\)/,
    );
    // Spark needs no package.
    assert.match(scree('fit sc://localhost:1 --member t', 1), /cannot be reached/);
  },
};

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
rmSync(folder, { recursive: true });
console.log(failures === 0 ? 'scree works alone' : `${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
