/**
 * Puts the compiled modules into one file an entry, and what they share into others: some eighty small files take Node
 * longer to find and read than the first fit takes to compute. Readers of file formats stay files of their own, which
 * are loaded when one is read.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules of `@scree/core/learn` alone: they stay out of what every program loads. */
const LEARN =
  /[\\/](dist[\\/]learn|autoencoder-terms|descend|exact-rows|memory-replies|neighbour-forces|procrustes|snapshot|watched-data)\.js$/;

const bundle = await rolldown({
  input: {
    index: here('dist/index.js'),
    engine: here('dist/engine-kit.js'),
    names: here('dist/solvers/names.js'),
    files: here('dist/files/index.js'),
    learn: here('dist/learn.js'),
    words: here('dist/words/index.js'),
  },
  treeshake: false,
});
await bundle.write({
  dir: here('dist/bundle'),
  format: 'esm',
  chunkFileNames: '[name].js',
  sourcemap: true,
  // Left alone: it would write NaN for Number.NaN, and V8 keeps a number that may be the first boxed: CSV took 12% longer.
  minify: false,
  codeSplitting: {
    groups: [
      { name: 'shared', test: (id) => !/[\\/]dist[\\/]files[\\/]/.test(id) && !LEARN.test(id) },
      { name: 'files-shared', test: /[\\/]dist[\\/]files[\\/](ahead|bytes|table|spool|unpack|zip|text)\.js$/ },
    ],
  },
});
await bundle.close();
