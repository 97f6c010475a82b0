import type { Transform } from '@scree/core';
import { choice, type Flag, list, number, type Read, readList, text } from './flags.js';

/** Every transform. The compiler checks this list against the library's list, which help texts must not load. */
const TRANSFORMS = Object.keys({
  log1p: 0,
  sqrt: 0,
  asinh: 0,
  rank: 0,
  clr: 0,
  ilr: 0,
} satisfies Record<Exclude<Transform, 'none'>, 0>);

/** One transform for all columns, or transforms of some columns by name. */
export type GivenTransform = Transform | Readonly<Record<string, Transform>>;

/** Columns of each block of MFA, by its name; A..B are all columns from A to B. */
export type Blocks = Readonly<Record<string, readonly string[]>>;

const MUST_TRANSFORM = `be one of ${TRANSFORMS.join(', ')}, or one per column: height=log1p,weight=sqrt`;

function readTransform(given: string): Read {
  if (TRANSFORMS.includes(given)) return { value: given };
  const items = readList(given);
  if (!items) return { must: MUST_TRANSFORM };
  const pairs = items.map((item) => {
    const at = item.lastIndexOf('=');
    return [item.slice(0, at), item.slice(at + 1)] as const;
  });
  const valid = pairs.every(([name, transform]) => name !== '' && TRANSFORMS.includes(transform));
  if (!valid) return { must: MUST_TRANSFORM };
  const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => other === name) < i);
  return twice
    ? { must: `name every column once, and ${twice[0]} is there twice` }
    : { value: Object.fromEntries(pairs) };
}

const MUST_BLOCKS =
  'be names with their columns: smell=a,b,c;taste=d,e, or with a range of columns: smell=a..c;taste=d..e';

function readBlocks(given: string): Read {
  const pairs: [string, string[]][] = [];
  for (const part of given.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    const columns = at < 1 ? undefined : readList(part.slice(at + 1));
    if (name === '' || !columns) return { must: MUST_BLOCKS };
    if (pairs.some(([other]) => other === name)) return { must: `name every block once, and ${name} is there twice` };
    pairs.push([name, columns]);
  }
  return { value: Object.fromEntries(pairs) };
}

/** Flags for the conversion of a table to numbers. */
export const METHOD_FLAGS: readonly Flag[] = [
  choice(
    'method',
    ['pca', 'mca', 'famd', 'mfa'],
    'pca of numbers, mca of categories, famd of numbers and categories, mfa of columns in blocks (default: pca)',
  ),
  {
    name: 'transform',
    value: 'NAME|A=NAME,…',
    what: `what to analyse instead of the values, ${TRANSFORMS.join(', ')}: of all columns, or of some: height=log1p,weight=sqrt`,
    choices: TRANSFORMS,
    read: readTransform,
  },
  list('categories', 'A,B,…', 'columns of numbers that are categories, for mca, famd, mfa and --residualize'),
  {
    name: 'blocks',
    value: 'NAME=A,B;…',
    what: 'for mfa: the blocks of columns; A..B are all columns from A to B',
    read: readBlocks,
  },
  number(
    'rare',
    'SHARE',
    'pool the levels of a category that have a smaller share, such as 0.02, into one (default: 0)',
    'be from 0 up and below 1',
    (v) => v >= 0 && v < 1,
  ),
];

/** The treatment of levels that the fit did not see. For fitting and for applying models. */
export const UNSEEN_FLAG = choice(
  'unseen',
  ['error', 'mean'],
  'levels of categories that the fit did not see: stop, or count them as the average (default: error)',
);

export const RESIDUALIZE_FLAG = list(
  'residualize',
  'A,B,…',
  'covariates, numbers or labels, that are regressed out of every column first; they are not analysed',
);

export const BETWEEN_FLAG = text(
  'between',
  'COLUMN',
  'find the directions in which the groups of this column differ: PCA of their means, each as heavy as its group',
);

export const BY_FLAG = text('by', 'COLUMN', 'one model per group of rows with the same value in this column');
