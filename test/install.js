/**
 * Packs the packages as they are published, installs them in an empty project per environment (runtimes, bundlers, test runners,
 * compilers, libraries whose data are read), and runs a small program there. `npm run test:install`, or
 * `npm run test:install -- jest vite` for some, by the beginning of their names; `--keep` leaves the folders. It needs the registry, so
 * it is not part of `npm test`. Prints the table that docs/guide/servers-and-pages.md has.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packAll } from '../build/pack-all.js';
import { ENVIRONMENTS } from './install/environments.js';
import { LIBRARIES } from './install/libraries.js';

const PATIENCE = 600_000;
const windows = process.platform === 'win32';
const args = process.argv.slice(2);
const keep = args.includes('--keep');
const asked = args.filter((each) => !each.startsWith('--')).map((each) => each.toLowerCase());

const folder = mkdtempSync(join(tmpdir(), 'scree-install-'));
const packed = packAll(folder);
const read = (name) => readFileSync(new URL(`./install/${name}.js`, import.meta.url), 'utf8');

/** The functions that programs of an environment call, as ES modules and as CommonJS. */
const CHECKS = {
  'check-data.mjs': read('check-data'),
  ...Object.fromEntries(
    Object.entries({ check: 'checkCore', 'check-scree': 'checkScree' }).flatMap(([name, exported]) => [
      [`${name}.mjs`, read(name)],
      [`${name}.cjs`, `${read(name).replace('export async', 'async')}\nmodule.exports = { ${exported} };\n`],
    ]),
  ),
};

function run(command, line, cwd, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(`${command} ${line}`, {
    cwd,
    encoding: 'utf8',
    shell: true,
    timeout: PATIENCE,
    env: { ...process.env, CI: '1', NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  return { status, output: `${stdout}${stderr}${error?.message ?? ''}` };
}

/** The last lines that say something. */
const lastLines = (text, count = 12) => text.trim().split('\n').slice(-count).join('\n');

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a server, asks it for pages, and ends it. */
async function askServer({ command: [program, line], ready, get, wanted }, cwd) {
  const port = await freePort();
  const server = spawn(`${program} ${line.replace('PORT', port)}`, {
    cwd,
    shell: true,
    detached: !windows,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  let printed = '';
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The server is not ready: ${printed}`)), 120_000);
      const hear = (text) => {
        printed += text;
        if (!printed.includes(ready)) return;
        clearTimeout(timer);
        resolve();
      };
      server.stdout.on('data', hear);
      server.stderr.on('data', hear);
    });
    for (const path of get) {
      const text = await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      if (!text.includes(wanted)) throw new Error(`${path}: ${text.slice(0, 600)}`);
    }
  } finally {
    // The shell and the server are one group of processes.
    if (windows) server.kill();
    else process.kill(-server.pid);
  }
}

/** Runs one environment in a folder of its own. Returns what went wrong, or nothing. */
async function tryIn({ packages = [], files, steps, serve, scree = false, node, manifest = {} }, place) {
  mkdirSync(place, { recursive: true });
  const own = Object.entries(packed).filter(([each]) => scree || each !== 'scree');
  const dependencies = Object.fromEntries(own.map(([each, file]) => [each, `file:${join(folder, file)}`]));
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({
      name: 'app',
      private: true,
      ...manifest,
      dependencies,
      overrides: { ...manifest.overrides, ...dependencies },
    }),
  );
  const carrier = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  const wanted = node ? [`${carrier}@${node}`] : packages;
  const installed = run(
    'npm',
    `install --no-audit --no-fund --loglevel=error --ignore-scripts ${wanted.join(' ')}`,
    place,
  );
  if (installed.status !== 0) return { skipped: lastLines(installed.output, 2) };
  for (const [path, text] of Object.entries({ ...CHECKS, ...files })) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const binaries = join(place, 'node_modules', carrier, 'bin');
  const path = node ? { PATH: `${binaries}${windows ? ';' : ':'}${process.env.PATH}` } : {};
  for (const [command, line, expected] of steps) {
    const { status, output } = run(command, line, place, path);
    if (status !== 0 || !new RegExp(expected).test(output))
      return { failed: `${command} ${line}\n${lastLines(output)}` };
  }
  if (serve) {
    try {
      await askServer(serve, place);
    } catch (error) {
      return { failed: error.message };
    }
  }
  const lock = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8')).packages;
  const version = (each) => lock[`node_modules/${each.replace(/(?<=.)@.*/, '')}`]?.version;
  return { versions: wanted.map(version).filter(Boolean).slice(0, 1).join(', ') };
}

const table = [];
let failures = 0;
for (const environment of [...ENVIRONMENTS, ...LIBRARIES]) {
  const { name } = environment;
  if (asked.length > 0 && !asked.some((each) => name.toLowerCase().startsWith(each))) continue;
  const place = join(folder, name.replaceAll(/[^A-Za-z0-9.]+/g, '-'));
  const { versions = '', failed, skipped } = await tryIn(environment, place);
  if (failed) failures++;
  const result = failed ? 'fails' : skipped ? 'not installed' : 'works';
  table.push(`| ${name} | ${versions} | ${result} |`);
  console.log(`${name} ${versions}: ${result}`);
  if (failed ?? skipped) console.log(failed ?? skipped);
  if (!keep) rmSync(place, { recursive: true, force: true });
}
console.log(`\n| environment | version | result |\n| --- | --- | --- |\n${table.join('\n')}`);
if (keep) console.log(folder);
else rmSync(folder, { recursive: true, force: true });
process.exitCode = failures > 0 ? 1 : 0;
