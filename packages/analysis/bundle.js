/**
 * Puts the compiled modules into few files, as ES modules and as CommonJS. The code that `analyze` loads on demand (criteria, bootstrap,
 * inspecting columns) stays in separate files.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const entries = {
  index: 'index',
  describe: 'describe/index',
  criteria: 'choose/criteria/index',
  vectors: 'vectors/index',
  'encode-vector': 'vectors/encode-vector',
};
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, here(`dist/${path}.js`)])),
  external: /^@scree\//,
  treeshake: false,
});
for (const [format, folder] of [
  ['esm', 'dist/bundle'],
  ['cjs', 'dist/cjs'],
]) {
  rmSync(here(folder), { recursive: true, force: true });
  await bundle.write({
    dir: here(folder),
    format,
    dynamicImportInCjs: false,
    chunkFileNames: '[name].js',
    minify: false,
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        // Several of the following files need this code, which must not load one of them.
        {
          name: 'shared',
          test: /[\\/]dist[\\/](fields|statistics[\\/]gamma|inspect[\\/](column-names|date-columns|restarts))\.js$/,
        },
        // The query side alone, for servers and Workers.
        { name: 'query-vector', test: /[\\/]dist[\\/]vectors[\\/](query[\\/]|encode-vector)/ },
        { name: 'criteria-parts', test: /[\\/]dist[\\/]choose[\\/](criteria|computations[\\/]simulate)/ },
        { name: 'describe-parts', test: /[\\/]dist[\\/](describe|choose[\\/]components-for)/ },
        {
          name: 'row-order',
          test: /[\\/]dist[\\/](inspect[\\/]row-order|bootstrap[\\/]block-length|statistics[\\/]serial)/,
        },
        { name: 'bootstrap', test: /[\\/]dist[\\/]bootstrap[\\/](?!bootstrap\.|bootstrap-options|default-replicates)/ },
        { name: 'evaluate-criteria', test: /[\\/]dist[\\/]choose[\\/](computations|collect-|evaluate-|recommend)/ },
        {
          name: 'inspect',
          test: /[\\/]dist[\\/]inspect[\\/](structure[\\/].*|choose-scale|column-inspector|column-tally|column-units|column-warnings|duplicate-columns|repeated-rows)\.js$/,
        },
      ],
    },
  });
}
await bundle.close();
markCommonJs(here('dist'));
writeDeclarations(here('dist'), Object.values(entries));
copyLicence(here('.'));
