import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FloatType } from './data.js';
import { writeNpy } from './file-data.js';
import { bareReading, dropCache, scree, type Taken } from './file-work.js';
import { megabytes } from './format.js';
import { spread } from './measure.js';
import type { WidthResult } from './results.js';
import { WIDTHS } from './workloads.js';

/** How much slower a file must be read after it was dropped from the cache, so that we believe it was. */
const COLD = 1.3;

/**
 * Fits of .npy files of one size and many widths, beside the bare reading: from the system's cache, and from the disk.
 * A fit costs d operations a number, so there is a width from which it is not the reading that takes the time.
 */
export async function measureWidths(folder: string, rounds: number, quick: boolean): Promise<WidthResult[]> {
  const results: WidthResult[] = [];
  for (const type of ['float64', 'float32'] satisfies FloatType[]) {
    for (const cols of WIDTHS.cols) {
      const bytes = (quick ? 0.02 : 1) * WIDTHS.bytes;
      const path = join(folder, `width-${cols}-${type}.npy`);
      writeNpy(path, Math.round(bytes / cols / (type === 'float64' ? 8 : 4)), cols, type);
      try {
        results.push(await measureWidth(path, { cols, type, bytes, rounds }));
      } finally {
        rmSync(path);
      }
    }
  }
  return results;
}

async function measureWidth(
  path: string,
  { cols, type, bytes, rounds }: { cols: number; type: FloatType; bytes: number; rounds: number },
): Promise<WidthResult> {
  const fitFile = (): Promise<Taken> => scree('fit', path, '-k', '4', '--memory', '1GB', '-q');
  const median = (taken: readonly Taken[]): number => spread(taken.map(({ seconds }) => seconds)).median;
  // Written a moment ago: the first reading after the pages have gone to disk may still find some on their way.
  const dropped = dropCache(path);
  const [coldReading, coldFit]: [Taken[], Taken[]] = [[], []];
  const cold = Math.max(1, rounds - 1);
  for (let round = 0; dropped && round < cold; round++) {
    coldReading.push(await bareReading(path));
    dropCache(path);
    coldFit.push(await fitFile());
    dropCache(path);
  }
  await bareReading(path);
  const [warmReading, warmFit]: [Taken[], Taken[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    warmReading.push(await bareReading(path));
    warmFit.push(await fitFile());
  }
  const warm = { reading: median(warmReading), fit: median(warmFit) };
  const believed = dropped && median(coldReading) > COLD * warm.reading;
  const result: WidthResult = {
    ...{ cols, type, bytes, warm },
    ...(believed ? { cold: { reading: median(coldReading), fit: median(coldFit) } } : {}),
  };
  const shown = ({ reading, fit }: WidthResult['warm']): string =>
    `${megabytes(bytes / fit)} of ${megabytes(bytes / reading)} a second`;
  const fromDisk = result.cold ? `, from disk ${shown(result.cold)}` : ', the cache could not be dropped';
  console.log(`  d = ${cols}, ${type}: ${shown(warm)}${fromDisk}`);
  return result;
}
