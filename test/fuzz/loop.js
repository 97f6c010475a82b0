import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { mutate } from './mutate.js';
import { Random } from './random.js';

/**
 * The thread that fuzzes one format: mutates an input, runs it, and keeps it when it takes a branch that no input took, or takes one
 * more often than before (in steps of about two). Everything but the time at which it is stopped follows from the seed.
 */
const { bundle, format, seed, inputs, runs, shared, allocation, end } = workerData;
const { TARGETS, SEEDS, TOKENS, isTyped } = await import(bundle);
const target = TARGETS[format];
const counters = globalThis.fuzzCounters;
const random = new Random(seed);
const tokens = TOKENS[format];

/** For the watchdog: the number of the run, the length of its input, and the input. */
const state = new Int32Array(shared, 0, 2);
const current = new Uint8Array(shared, 8);

/** A bit per step of every counter that was reached. */
const seen = new Uint8Array(counters.length);
const stepOf = (count) =>
  count < 4 ? 1 << (count - 1) : count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;

/** Runs an input. What it did that was new, and what went wrong. */
async function run(bytes) {
  current.set(bytes);
  Atomics.store(state, 1, bytes.length);
  Atomics.add(state, 0, 1);
  counters.fill(0);
  const before = getHeapStatistics().external_memory;
  let crash;
  try {
    await target(new Uint8Array(bytes));
  } catch (error) {
    if (!isTyped(error)) crash = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  }
  // Buffers that are freed within a run are not seen here: what the whole program takes is seen by the watchdog.
  const taken = getHeapStatistics().external_memory - before;
  if (taken > allocation) crash ??= `${Math.round(taken / 2 ** 20)} MB of buffers`;
  let fresh = 0;
  for (let i = 0; i < counters.length; i++) {
    if (counters[i] === 0) continue;
    const step = stepOf(counters[i]);
    if ((seen[i] & step) !== 0) continue;
    seen[i] |= step;
    fresh++;
  }
  return { fresh, crash };
}

const corpus = [];
const told = new Set();
let done = 0;

async function consider(bytes, always = false) {
  const { fresh, crash } = await run(bytes);
  done++;
  if (crash !== undefined) {
    // One of a kind is enough.
    const kind = crash.split('\n').slice(0, 3).join('\n').replace(/\d+/g, '0');
    if (!told.has(kind)) {
      told.add(kind);
      parentPort.postMessage({ kind: 'crash', bytes: Buffer.from(bytes).toString('base64'), why: crash });
    }
    return;
  }
  if (fresh === 0 && !always) return;
  corpus.push(Buffer.from(bytes));
  if (!always) parentPort.postMessage({ kind: 'input', bytes: Buffer.from(bytes).toString('base64') });
}

/** Small inputs and new ones are chosen more often. */
function choose() {
  const index = corpus.length - 1 - Math.floor(corpus.length * random.next() ** 1.5);
  const other = random.below(corpus.length);
  return corpus[other].length * 2 < corpus[index].length && random.chance(0.5) ? corpus[other] : corpus[index];
}

for (const bytes of await SEEDS[format]()) await consider(bytes, true);
for (const bytes of inputs) await consider(Buffer.from(bytes, 'base64'), true);

const report = () => {
  let branches = 0;
  for (const bits of seen) branches += bits === 0 ? 0 : 1;
  parentPort.postMessage({ kind: 'report', runs: done, inputs: corpus.length, branches, of: counters.length });
};
report();
for (let reported = Date.now(); done < runs && Date.now() < end; ) {
  await consider(mutate(format, choose(), random, { tokens, other: random.pick(corpus) }));
  if (done % 64 === 0) await new Promise((turn) => setImmediate(turn));
  if (Date.now() - reported < 5000) continue;
  report();
  reported = Date.now();
}
report();

/** The fewest inputs, small ones first, that reach every branch that all inputs reach. */
async function minimised() {
  const all = [...new Map(corpus.map((bytes) => [bytes.toString('base64'), bytes])).values()];
  all.sort((a, b) => a.length - b.length);
  const reached = [];
  for (const bytes of all) {
    await run(bytes);
    reached.push(Uint32Array.from(counters.keys()).filter((i) => counters[i] > 0));
  }
  const times = new Uint32Array(counters.length);
  const kept = [];
  for (const [i, branches] of reached.entries()) {
    if (branches.every((branch) => times[branch] > 0)) continue;
    for (const branch of branches) times[branch]++;
    kept.push(i);
  }
  // The first ones may be covered by larger ones that came later.
  return kept
    .filter((i) => {
      if (reached[i].some((branch) => times[branch] === 1)) return true;
      for (const branch of reached[i]) times[branch]--;
      return false;
    })
    .map((i) => all[i].toString('base64'));
}
parentPort.postMessage({ kind: 'end', inputs: await minimised() });
