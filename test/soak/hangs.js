/**
 * Starts every command, and programs that use the library, again and again and counts the runs that never end; then the same for every solver
 * with every `blocking` and many shapes (solvers.js):
 *
 *     npm run soak -- --runs 3000 --rounds 2 --shapes 100 --node 22
 *
 * Each case runs with its output in a pipe, in a file and in /dev/null, because a hang of Node 20 depended on that. A run
 * that takes longer than 30 seconds is killed (SIGKILL: a hung Node ignores everything else) and counted as a hang.
 *
 * `--node` is a version or a path. Without it, commands run with the Node that runs this program, and solvers with all versions that we support.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode, VERSIONS } from '../node-versions.js';
import { soakSolvers } from './solvers.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '2' },
    shapes: { type: 'string', default: '100' },
    node: { type: 'string' },
    packages: { type: 'string', default: fileURLToPath(new URL('../../packages', import.meta.url)) },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const runs = Number(values.runs);
const LIMIT = 30_000;
const chosen = values.node === undefined ? undefined : nodeOf(values.node);
const node = chosen ?? process.execPath;

/** The path of a version of Node, or the path itself. */
function nodeOf(name) {
  if (!/^[\d.]+$/.test(name)) return name;
  const { path, found, problem } = installNode(name);
  if (!found) throw new Error(`Node ${name}: ${problem}`);
  return path;
}

const scree = join(values.packages, 'scree/dist/bin/scree.js');
const program = fileURLToPath(new URL('./library.js', import.meta.url));
const library = join(values.packages, 'core/dist/index.js');

/** 120 × 20, the data of the hang, and data for which the engine starts threads. */
const CASES = {
  fit: [scree, 'fit', '../small.csv', '-o', 'model.json'],
  'fit (threads)': [scree, 'fit', '../large.csv', '-k', '5', '-o', 'model.json'],
  transform: [scree, 'transform', '../model.json', '../small.csv', '-q', '-o', 'scores.csv'],
  reconstruct: [scree, 'reconstruct', '../model.json', '../scores.csv', '-q', '-o', 'rows.csv'],
  inspect: [scree, 'inspect', '../model.json'],
  report: [scree, 'report', '../small.csv', '-q', '-o', 'report.html'],
  compress: [scree, 'compress', '../small.csv', '-q', '-o', 'small.scree'],
  decompress: [scree, 'decompress', '../small.scree', '-q', '-o', 'rows.npy'],
  completion: [scree, 'completion', 'bash'],
  help: [scree, '--help'],
  'library: fit, transform': [program, library, 'fit'],
  'library: threads': [program, library, 'threads'],
  'library: stream, moments': [program, library, 'stream'],
  'library: abort': [program, library, 'abort'],
};
/** A second and more each: one run in fifty. */
const SLOW_CASES = { doctor: [scree, 'doctor'], demo: [scree, 'demo'] };

const OUTPUTS = {
  pipe: '{ "$@" 2>&1; echo "exit $?" >&3; } 3>exit | cat >/dev/null',
  file: '"$@" >output 2>&1; echo "exit $?" >exit',
  '/dev/null': '"$@" >/dev/null 2>&1; echo "exit $?" >exit',
};

/** Runs a program in a folder of its own; 'hang', or its exit code. */
function run(command, output, folder) {
  const line = `${OUTPUTS[output]}; exit "$(sed 's/exit //' exit)"`;
  // A process group of its own, so that the shell and what it started end together.
  const child = spawn('sh', ['-c', line, 'sh', node, ...command], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  return new Promise((resolve) => {
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      process.kill(-child.pid, 'SIGKILL');
    }, LIMIT);
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(hung ? 'hang' : code);
    });
  });
}

/** A table of numbers that have a few strong directions. */
function csv(rows, cols) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const lines = [Array.from({ length: cols }, (_, j) => `c${j}`).join(',')];
  for (let i = 0; i < rows; i++) {
    const common = random();
    lines.push(Array.from({ length: cols }, (_, j) => (common * (j + 1) + random()).toFixed(5)).join(','));
  }
  return `${lines.join('\n')}\n`;
}

const home = mkdtempSync(join(tmpdir(), 'scree-soak-'));
const counts = new Map();
try {
  writeFileSync(join(home, 'small.csv'), csv(120, 20));
  writeFileSync(join(home, 'large.csv'), csv(6000, 120));
  for (const command of [
    [scree, 'fit', 'small.csv', '-o', 'model.json'],
    [scree, 'transform', 'model.json', 'small.csv', '-q', '-o', 'scores.csv'],
    [scree, 'compress', 'small.csv', '-q', '-o', 'small.scree'],
  ]) {
    const code = await run(command, '/dev/null', home);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  }
  const usual = Object.entries(CASES);
  const slow = Object.entries(SLOW_CASES);
  const outputs = Object.keys(OUTPUTS);
  let next = 0;
  const work = async (job) => {
    const folder = join(home, `job-${job}`);
    mkdirSync(folder);
    while (next < runs) {
      const i = next++;
      const cases = i % 50 === 49 ? slow : usual;
      const [name, command] = cases[Math.floor(i / outputs.length) % cases.length];
      const output = outputs[i % outputs.length];
      const code = await run(command, output, folder);
      const key = `${name}, ${output}`;
      const count = counts.get(key) ?? { runs: 0, hangs: 0, failures: 0 };
      counts.set(key, count);
      count.runs++;
      if (code === 'hang') count.hangs++;
      else if (code !== 0) count.failures++;
      if (code !== 0) console.log(`run ${i}: ${key}: ${code}`);
      if ((i + 1) % 500 === 0) console.log(`${i + 1} of ${runs} runs`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, (_, job) => work(job)));
} finally {
  rmSync(home, { recursive: true, force: true });
}

let hangs = 0;
let failures = 0;
for (const [key, count] of [...counts].sort()) {
  hangs += count.hangs;
  failures += count.failures;
  console.log(`${key}: ${count.runs} runs, ${count.hangs} hangs, ${count.failures} failures`);
}
console.log(`${node}: ${runs} runs of commands, ${hangs} hangs, ${failures} failures`);

const [rounds, shapes] = [Number(values.rounds), Number(values.shapes)];
for (const each of rounds === 0 ? [] : chosen ? [chosen] : VERSIONS.map(nodeOf)) {
  const found = await soakSolvers({ node: each, library, shapes, rounds, jobs: Number(values.jobs) });
  hangs += found.hangs;
  failures += found.failures;
  console.log(`${each}: ${found.fits} fits, ${found.hangs} hangs, ${found.failures} failures`);
}
process.exitCode = hangs + failures > 0 ? 1 : 0;
