import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Spread, spread } from './measure.js';

/** How long fresh processes take from `import` to the first model (first-model.ts), in milliseconds. */
export async function startTimes(processes: number): Promise<Spread> {
  const program = fileURLToPath(new URL('first-model.js', import.meta.url));
  const samples: number[] = [];
  for (let i = 0; i < processes; i++) {
    samples.push(Number((await promisify(execFile)(process.execPath, [program])).stdout));
  }
  return spread(samples);
}
