import { readFileSync, writeFileSync } from 'node:fs';
import type { Matrix } from 'scree';
import { javascript } from './javascript.js';
import type { Subject } from './memory.js';
import { findEngines, scree } from './scree.js';
import { load } from './stored.js';

/** One fit in a process of its own: prints by how many bytes it raised the peak of resident memory above the loaded data. */
const [folder, argument] = process.argv.slice(2);
const { k, engine, threads, peer } = JSON.parse(argument) as Subject;
const data = load(folder);
const contender = peer
  ? javascript(data as Matrix, k, peer, true)
  : scree(data, k, (await findEngines([engine!], threads!, () => {}))[0]);

(globalThis as { gc?: () => void }).gc?.();
// Linux forgets the old peak when asked to; elsewhere there is no figure.
writeFileSync('/proc/self/clear_refs', '5');
const before = resident('VmRSS');
await contender.fit(1);
console.log(resident('VmHWM') - before);
process.exit();

function resident(field: string): number {
  const line = readFileSync('/proc/self/status', 'utf8').match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'));
  return Number(line![1]) * 1024;
}
