import fc from 'fast-check';
import './equal-arrays.js';

/**
 * Random tests draw new cases on every run and print the seed they drew them from; SCREE_SEED=… runs the same again.
 */
const seed = Number(process.env.SCREE_SEED ?? Math.floor(Math.random() * 2 ** 31));
fc.configureGlobal({ seed, numRuns: 100 });
process.env.SCREE_SEED = String(seed);
console.log(`random tests: SCREE_SEED=${seed}`);
