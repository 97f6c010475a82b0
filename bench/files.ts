import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './arguments.js';
import { environment } from './environment.js';
import { writeNpy, writeParquet } from './file-data.js';
import { measureWidths } from './file-widths.js';
import { bareNode, bareReading, incrementalPca, scree, screePlain, type Taken, timed } from './file-work.js';
import { megabytes, milliseconds } from './format.js';
import { spread } from './measure.js';
import { type FileTime, save } from './results.js';
import { needsPython, python } from './setup.js';
import { Peer } from './sklearn.js';
import { temporaryFolder } from './temporary.js';
import { FILES } from './workloads.js';

/** Files larger than the memory that is allowed, through the real command, beside the bare reading and scikit-learn. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const scale = quick ? 1 / 50 : 1;
const rounds = quick ? 1 : 5;
const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const peer = existsSync(python) ? undefined : 'scikit-learn is not set up';
const arrow = peer ?? needsPython('pyarrow');

interface Part {
  readonly name: string;
  /** The slowest need not be measured as often. */
  readonly once?: boolean;
  measure(): Promise<Taken>;
}

const fitFile = (path: string, ...more: string[]): Promise<Taken> =>
  scree('fit', path, '-k', `${FILES.k}`, '-q', '-o', at('model.pca'), ...more);

console.log(' an array');
const rows = Math.round(scale * FILES.rows);
writeNpy(at('data.npy'), rows, FILES.cols, 'float64');
const files = await takeTurns([
  { name: 'bare reading', measure: () => bareReading(at('data.npy')) },
  { name: 'scree fit', measure: () => fitFile(at('data.npy'), '--memory', '1GB') },
  ...(peer
    ? []
    : [
        {
          name: 'scikit-learn IncrementalPCA',
          once: true,
          measure: () => incrementalPca(at('data.npy'), FILES.k, threads),
        },
      ]),
]);
rmSync(at('data.npy'));

console.log(' transform, and help');
writeNpy(at('small.npy'), Math.round(scale * 1_000_000), 100, 'float64');
await scree('fit', at('small.npy'), '-k', `${FILES.k}`, '-q', '-o', at('small.pca'));
files.push(
  ...(await takeTurns([
    {
      name: 'copying 1,000,000 × 100',
      measure: async () => timed(() => copyFileSync(at('small.npy'), at('copy.npy'))),
    },
    {
      name: 'scree transform of the same',
      measure: () => scree('transform', at('small.pca'), at('small.npy'), '-o', at('scores.npy'), '-q'),
    },
    { name: 'node, doing nothing', measure: bareNode },
    { name: 'scree --help', measure: () => screePlain('--help') },
  ])),
);
for (const name of ['small.npy', 'copy.npy', 'scores.npy']) rmSync(at(name));

console.log(' Parquet');
const { cols } = FILES.parquet;
await writeParquet(at('data.parquet'), Math.round(scale * FILES.parquet.rows), cols);
const { size } = statSync(at('data.parquet'));
const parquet = await takeTurns([
  { name: 'bare reading', measure: () => bareReading(at('data.parquet')) },
  { name: 'scree fit', measure: () => fitFile(at('data.parquet'), '--memory', '1GB') },
  ...(arrow
    ? []
    : [
        {
          name: 'scikit-learn IncrementalPCA, pyarrow',
          once: true,
          measure: () => incrementalPca(at('data.parquet'), FILES.k, threads),
        },
      ]),
]);
rmSync(at('data.parquet'));

console.log(' widths');
const widths = await measureWidths(folder, quick ? 1 : 3, quick);

save(
  'files',
  {
    environment: await environment(threads, Peer.start(threads)),
    bytes: 8 * rows * FILES.cols,
    files,
    parquet: { bytes: size, cols, files: parquet },
    widths,
    skipped: arrow ? [arrow] : [],
  },
  quick,
);
rmSync(folder, { recursive: true, force: true });
process.exit();

/** All parts once a round: what else the machine does hits all of them. */
async function takeTurns(parts: readonly Part[]): Promise<FileTime[]> {
  const samples = parts.map(() => ({ times: [] as number[], bytes: 0 }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, part] of parts.entries()) {
      if (round > 0 && part.once) continue;
      const { seconds, bytes = 0 } = await part.measure();
      samples[i].times.push(1000 * seconds);
      samples[i].bytes = Math.max(samples[i].bytes, bytes);
    }
  }
  return parts.map(({ name }, i) => {
    const time = spread(samples[i].times);
    const { bytes } = samples[i];
    console.log(`  ${name}: ${milliseconds(time.median)}${bytes ? `, ${megabytes(bytes)} at most` : ''}`);
    return { name, time, ...(bytes ? { bytes } : {}) };
  });
}
