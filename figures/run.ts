/** `npm run figures -- [names]`: the pictures of the documentation, all of them or those that are named. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawAutoencoder } from './autoencoder.js';
import { drawCompression } from './compression.js';
import { drawDual } from './dual.js';
import { drawEmbeddingRecall } from './embedding-recall.js';
import type { Draw } from './figure.js';
import { drawForces } from './forces.js';
import {
  drawDecathlonCircle,
  drawDecathlonContributions,
  drawDecathlonCos2,
  drawDecathlonScores,
  drawNoiseStability,
  drawPoisonCategories,
  drawWineCriteria,
  drawWineIntervals,
  drawWineScaled,
  drawWineStability,
  drawWineUnscaled,
} from './guide.js';
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
  compression: drawCompression,
  'wine-criteria': drawWineCriteria,
  'wine-stability': drawWineStability,
  'wine-intervals': drawWineIntervals,
  'noise-stability': drawNoiseStability,
  'wine-unscaled': drawWineUnscaled,
  'wine-scaled': drawWineScaled,
  'decathlon-circle': drawDecathlonCircle,
  'decathlon-contributions': drawDecathlonContributions,
  'decathlon-cos2': drawDecathlonCos2,
  'decathlon-scores': drawDecathlonScores,
  'poison-categories': drawPoisonCategories,
  'embedding-recall': drawEmbeddingRecall,
};

const USAGE = `npm run figures -- [--to folder] [names]

Draws the pictures of the documentation, all of them or those that are named:
${Object.keys(FIGURES).join(', ')}

  npm run figures
  npm run figures -- mnist-descent race`;

/** The measurements of a figure are written between two such lines of its page. */
const MEASURED = '<!-- measured -->\n';

let names: string[];
let folder: string | undefined;
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
  folder = values.to;
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
for (const name of names) {
  const { svg, measurements, page, folder: own, failure } = await FIGURES[name](new ProgressBar());
  const to = folder ?? `${docs}/${own ?? (page ? 'figures' : 'learn/figures')}`;
  mkdirSync(to, { recursive: true });
  const file = `${to}/${name}.svg`;
  writeFileSync(file, svg);
  if (page && folder === undefined) {
    const [before, , after] = readFileSync(`${docs}/${page.file}`, 'utf8').split(MEASURED);
    writeFileSync(`${docs}/${page.file}`, [before, `\n${page.text}\n`, after].join(MEASURED));
  }
  console.log(`${name}: ${file}, ${Math.round(svg.length / 1024)} KB`);
  for (const line of measurements) console.log(`  ${line}`);
  if (failure === undefined) continue;
  console.error(`!! ${failure}`);
  process.exitCode = 1;
}
