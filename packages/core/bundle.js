/**
 * Puts the compiled modules into one file an entry, and what they share into another: some eighty small files take Node
 * longer to find and read than the first fit takes to compute.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundle = await rolldown({
  input: {
    index: here('dist/index.js'),
    engine: here('dist/engine-kit.js'),
    files: here('dist/files/index.js'),
    words: here('dist/words/index.js'),
  },
  treeshake: false,
});
await bundle.write({ dir: here('dist/bundle'), format: 'esm', chunkFileNames: 'shared.js', sourcemap: true });
await bundle.close();
