/** `npm run figures -- [names]`: the pictures of docs/learn, all of them or those that are named. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawAutoencoder } from './autoencoder.js';
import { drawDual } from './dual.js';
import type { Draw } from './figure.js';
import { drawForces } from './forces.js';
import { drawDescent } from './mnist-descent.js';
import { ProgressBar } from './progress-bar.js';
import { drawRace } from './race.js';
import { drawUniqueness } from './uniqueness.js';
import { drawVariance } from './variance.js';

const FIGURES: Readonly<Record<string, Draw>> = {
  variance: drawVariance,
  dual: drawDual,
  forces: drawForces,
  autoencoder: drawAutoencoder,
  uniqueness: drawUniqueness,
  'mnist-descent': drawDescent,
  race: drawRace,
};

const USAGE = `npm run figures -- [--to folder] [names]

Draws the pictures of docs/learn, all of them or those that are named:
${Object.keys(FIGURES).join(', ')}

  npm run figures
  npm run figures -- mnist-descent race`;

let names: string[];
let folder: string;
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const unknown = positionals.find((name) => !Object.hasOwn(FIGURES, name));
  if (unknown !== undefined) throw new Error(`There is no figure ${unknown}.`);
  names = positionals.length > 0 ? positionals : Object.keys(FIGURES);
  folder = values.to ?? fileURLToPath(new URL('../../docs/learn/figures', import.meta.url));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}

mkdirSync(folder, { recursive: true });
for (const name of names) {
  const { svg, told, failure } = await FIGURES[name](new ProgressBar());
  const file = `${folder}/${name}.svg`;
  writeFileSync(file, svg);
  console.log(`${name}: ${file}, ${Math.round(svg.length / 1024)} KB`);
  for (const line of told) console.log(`  ${line}`);
  if (failure === undefined) continue;
  console.error(`!! ${failure}`);
  process.exitCode = 1;
}
