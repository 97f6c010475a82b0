/**
 * Writes the golden files of this version of scree: `npm run build && node packages/scree/test/golden/write.js`.
 * Run it once per release that changes a format. It never writes to a folder that exists: golden files are not replaced.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compressFile, openCompressed, pca } from 'scree';
import { CHANGED_AT, CHECKPOINTS } from './data.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const program = fileURLToPath(new URL('../../dist/bin/scree.js', import.meta.url));
const folder = new URL(`${version}/`, import.meta.url);
mkdirSync(folder); // Fails where the folder exists.
const place = (name) => fileURLToPath(new URL(name, folder));

// Compressed files: every quantiser, and types of numbers.
let state = 3;
const next = () => {
  state = (state * 48271) % 2147483647;
  return (2 * state) / 2147483647 - 1;
};
const table = (rows, cols) => {
  const values = [];
  for (let i = 0; i < rows; i++) {
    const factors = [40 * next(), 20 * next()];
    for (let j = 0; j < cols; j++) values.push(Math.round(100 + factors[j % 2] + (j % 3) * factors[1] + 3 * next()));
  }
  return { rows, cols, data: Float64Array.from(values) };
};
const data = table(60, 5);
const names = ['plain', 'Größe', '年齢', 'a "quoted" name', '🙂'];
const compressed = {
  uniform: {},
  'uniform-all-components': { k: 5, noise: 1e-8 },
  'uniform-named-float32': { columnNames: names, dtype: 'float32' },
  'uniform-uint8': { dtype: 'uint8' },
  int8: { quantise: 'int8' },
  'int8-scaled': { quantise: 'int8', scale: 'unit' },
  float16: { quantise: 'float16' },
  'float16-int16': { quantise: 'float16', dtype: 'int16' },
};
for (const [name, { k = 2, scale = 'none', ...options }] of Object.entries(compressed)) {
  const model = await pca(data, { k, scale });
  const path = place(`${name}.scree`);
  const source = {
    rows: data.rows,
    cols: data.cols,
    dtype: 'float64',
    rewindable: true,
    resident: false,
    *blocks() {
      yield { kind: 'dense', stride: data.cols, ...data };
    },
  };
  const { bytes, modelBytes, original, ratio, ...said } = await compressFile({ source, model, path, ...options });
  const file = await openCompressed(path);
  const values = [];
  for await (const block of file.source.blocks()) values.push(...block.data.subarray(0, block.rows * block.cols));
  await file.close();
  const { columnNames } = file;
  writeFileSync(
    place(`${name}.expected.json`),
    `${JSON.stringify({ ...said, columnNames, variances: [...file.model.variances], values })}\n`,
  );
}

// Checkpoints: the command is killed when it has saved the first one.
const work = mkdtempSync(join(tmpdir(), 'scree-golden-'));
for (const [name, { file, content, args }] of Object.entries(CHECKPOINTS)) {
  const input = join(work, file);
  const checkpoint = join(work, 'checkpoint');
  writeFileSync(input, content());
  utimesSync(input, CHANGED_AT, CHANGED_AT);
  do {
    rmSync(checkpoint, { force: true });
    const child = spawn(process.execPath, [program, 'fit', ...args, '--every', '0', '--checkpoint', 'checkpoint'], {
      cwd: work,
      stdio: [args[0] === '-' ? 'pipe' : 'ignore', 'ignore', 'inherit'],
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    // Not all of it: the command waits for more when it has saved a checkpoint.
    child.stdin?.on('error', () => {}).write(content().subarray(0, 11_500_000));
    while (child.exitCode === null && !existsSync(checkpoint)) await sleep(1);
    child.kill('SIGKILL');
    await ended;
  } while (!existsSync(checkpoint));
  writeFileSync(place(`${name}.checkpoint`), readFileSync(checkpoint));
}
rmSync(work, { recursive: true });
