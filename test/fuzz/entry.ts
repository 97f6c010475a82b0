/** What the fuzzing thread loads, bundled and with counters: see run.js. */
export { SEEDS, TOKENS } from './seeds.js';
export { isTyped, TARGETS } from './targets.js';
