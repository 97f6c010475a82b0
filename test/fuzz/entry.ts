/** The program of the fuzzing thread, bundled and with counters: see run.js. */
export { SEEDS, TOKENS } from './seeds.js';
export { isTyped, TARGETS } from './targets.js';
