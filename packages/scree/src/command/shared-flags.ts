import type { RotationMethod } from '@scree/analysis';
import { CRITERION_NAMES } from '@scree/analysis/criteria';
import { SOLVER_NAMES } from '@scree/core/names';
import { ENGINE_NAMES } from '../engine-names.js';
import type { ComputedName } from './computed-columns.js';
import { choice, type Flag, list, number, readList, rowRanges, text, toggle } from './flags.js';
import { METHOD_FLAGS, UNSEEN_FLAG } from './method-flags.js';

/** Flags of several commands. Flags of data files and of methods have files of their own. */

export const COMMON_FLAGS: readonly Flag[] = [
  toggle('quiet', 'print no progress and no notes', 'q'),
  toggle('debug', 'print the stack of an error'),
  toggle('help', 'print this help', 'h'),
];

export const JSON_FLAG = toggle('json', 'print one JSON object to standard output');

export const THREADS_FLAG = number(
  'threads',
  'N',
  'number of threads (default: one per core)',
  'be a whole number from 1 to 256',
  (v) => Number.isSafeInteger(v) && v >= 1 && v <= 256,
);

const COMPONENTS_FLAG: Flag = {
  name: 'components',
  short: 'k',
  value: 'K',
  what: 'number of components, or auto, or the criterion that chooses it (default: 10, or all if there are fewer)',
  choices: ['auto', ...CRITERION_NAMES],
  read: (given) => {
    if (given === 'auto' || CRITERION_NAMES.some((name) => name === given)) return { value: given };
    const found = given.trim() === '' ? Number.NaN : Number(given);
    return Number.isSafeInteger(found) && found >= 1
      ? { value: found }
      : { must: `be a whole number from 1 up, auto, or one of ${CRITERION_NAMES.join(', ')}` };
  },
};

export const BOOTSTRAP_FLAG = number(
  'bootstrap',
  'N',
  'samples drawn from the rows to see how stable the components are; 0 for none (default: 200, or 0 for large tables)',
  'be 0, or a whole number from 10 to 100000',
  (v) => v === 0 || (Number.isSafeInteger(v) && v >= 10 && v <= 100_000),
);

/** Robust components, for commands that fit. */
export const ROBUST_FLAGS: readonly Flag[] = [
  choice(
    'robust',
    ['auto', 'mcd', 'projection', 'spherical'],
    'components that few rows cannot change: of the minimum covariance determinant (mcd), by projections (ROBPCA), or on a sphere; auto chooses by the shape',
  ),
  number(
    'robust-share',
    'SHARE',
    'share of the rows that --robust is computed from; the others may be anything (default: 0.75)',
    'be from 0.5 to 1',
    (v) => v >= 0.5 && v <= 1,
  ),
];

export const BOOTSTRAP_BLOCK_FLAG = number(
  'bootstrap-block',
  'ROWS',
  'draw runs of this many neighbouring rows, for rows that depend on the rows before them; 1 draws single rows (default: chosen by the data)',
  'be a whole number from 1 up',
  (v) => Number.isSafeInteger(v) && v >= 1,
);

const SCALE_RULES = ['none', 'unit', 'pareto', 'range', 'median'];

const SCALE_FLAG = choice(
  'scale',
  SCALE_RULES,
  'divide each column by its standard deviation (unit), the root of that (pareto), its range, or its median absolute deviation times 1.4826 (median) (default: none)',
);

/** The rules of --scale, and log-ratios for the parts of a composition. */
const CODED_SCALE_FLAG = choice(
  'scale',
  [...SCALE_RULES, 'clr', 'ilr'],
  'divide each column by its standard deviation (unit), the root of that (pareto), its range, or its median absolute deviation times 1.4826 (median); for the parts of a composition, take centred or isometric log-ratios (clr, ilr) (default: none)',
);

/** The rules of an analysis, which chooses between unit and none by default. */
const ANALYSIS_SCALE_FLAG = choice(
  'scale',
  ['auto', ...SCALE_RULES, 'clr', 'ilr'],
  'auto divides each column by its standard deviation if units or spreads differ, and not if columns have one unit; unit always does, none never; or divide by the root of the standard deviation (pareto), the range, or the median absolute deviation times 1.4826 (median); for the parts of a composition, take centred or isometric log-ratios (clr, ilr) (default: auto)',
);

/** The scalings of a sketch, which reads the rows once. */
export const SKETCH_SCALE_FLAG = choice(
  'scale',
  ['none', 'unit', 'pareto', 'range'],
  'how a sketch scales the columns, as for fit (default: none)',
);

export const ENGINE_FLAG = choice(
  'engine',
  ['auto', ...ENGINE_NAMES, 'spark'],
  'what does the arithmetic (default: the fastest available, see scree doctor); spark is for tables on Spark',
);

export const SEED_FLAG = number(
  'seed',
  'N',
  'seed of the random numbers (default: 0)',
  'be a whole number',
  Number.isSafeInteger,
);

/** For `scree moments`. It is off by default, because n replicates take as long as n fits. */
export const BOOTSTRAP_PARTS_FLAG: Flag = {
  ...BOOTSTRAP_FLAG,
  what: 'also keep the moments of N samples drawn from the rows, to see how stable the components are (default: 0)',
};

export const WIDTH_FLAG = number(
  'components',
  'K',
  'of a sketch: how many components it is for (default: 10)',
  'be a whole number from 1 up',
  (v) => Number.isSafeInteger(v) && v >= 1,
  'k',
);

export const FIT_FLAGS: readonly Flag[] = [
  COMPONENTS_FLAG,
  number(
    'variance',
    'SHARE',
    'keep as many components as explain this share of the variance, such as 0.95',
    'be between 0 and 1',
    (v) => v > 0 && v < 1,
  ),
  toggle('all', 'keep all components'),
  SCALE_FLAG,
  choice('whiten', ['pca', 'zca'], 'scale the scores to variance 1'),
  toggle('no-center', 'do not subtract the column means'),
  number('ddof', 'N', 'divide by n − N in the covariance (default: 1)', 'be a number from 0 up', (v) => v >= 0),
  choice(
    'solver',
    ['auto', ...SOLVER_NAMES],
    'how to compute the components (default: chosen by cost, see --explain)',
    'NAME',
  ),
  ENGINE_FLAG,
  THREADS_FLAG,
  SEED_FLAG,
  number(
    'tolerance',
    'X',
    'residual at which iterative solvers stop',
    'be from 1e-14 to 0.1',
    (v) => v >= 1e-14 && v <= 0.1,
  ),
];

/** For commands that also take categories, transforms and compositions. */
export const CODED_FIT_FLAGS: readonly Flag[] = [
  ...FIT_FLAGS.map((flag) => (flag === SCALE_FLAG ? CODED_SCALE_FLAG : flag)),
  ...METHOD_FLAGS,
  UNSEEN_FLAG,
];

/** The same for analyses, which choose a scaling. */
export const ANALYSIS_FIT_FLAGS: readonly Flag[] = CODED_FIT_FLAGS.map((flag) =>
  flag === CODED_SCALE_FLAG ? ANALYSIS_SCALE_FLAG : flag,
);

export const FIT_ONLY_FLAGS: readonly Flag[] = [
  text('scores', 'FILE', 'also write the scores of the rows there: .npy, .csv, .tsv, .parquet or .arrow'),
  toggle('explain', 'print the predicted time of every solver'),
  text(
    'checkpoint',
    'FILE',
    'save the sums there now and then, and continue from them after a crash, with the same result',
  ),
  number(
    'every',
    'SECONDS',
    'time between two saves of the checkpoint (default: 10)',
    'be a number from 0 up',
    (v) => v >= 0,
  ),
];

export const SUPPLEMENTARY_FLAGS: readonly Flag[] = [
  list('supplementary', 'A,B,…', 'numeric columns to correlate with the components; they are not analysed'),
  rowRanges('supplementary-rows', 'rows, such as 24-27, that get scores but have no part in the fit'),
  list(
    'group',
    'A,B,…',
    'columns that divide the rows into groups, to compare on the components; they are not analysed',
  ),
];

/** Every rotation. The compiler checks this list against the library's list, which help texts must not load. */
const ROTATIONS = Object.keys({ varimax: 0, quartimax: 0, promax: 0, oblimin: 0 } satisfies Record<RotationMethod, 0>);

export const ROTATE_FLAG = choice(
  'rotate',
  ROTATIONS,
  'rotate the components so that each column has a large loading on few of them: as many as -k says or as are recommended',
);

export const COLUMN_WEIGHTS_FLAG = text(
  'column-weights',
  'FILE',
  'how much columns count: lines such as height,2, or a JSON object; other columns have the weight 1',
);

export const MODEL_FLAG = text('model', 'MODEL', 'use this model instead of fitting one');

export const IMAGE_FLAG: Flag = {
  name: 'image',
  value: 'WIDTHxHEIGHT',
  what: 'show rows as pictures of this size (default: the shape of the array, if it has three dimensions)',
  read: (given) => {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(given) ?? [];
    const found = { width: Number(width), height: Number(height) };
    return found.width > 0 && found.height > 0 ? { value: found } : { must: 'be a size such as 28x28' };
  },
};

export const CSV_SAFE_FLAG = toggle(
  'csv-safe',
  'in .csv and .tsv, keep spreadsheets from running names and labels as formulas',
);

/** Everything that --with can name. The compiler checks this list against the code that computes it, which help texts must not load. */
const COMPUTED = Object.keys({ scores: 0, t2: 0, q: 0, error: 0, flag: 0 } satisfies Record<ComputedName, 0>);

export const WITH_FLAG: Flag = {
  name: 'with',
  value: 'A,B,…',
  what: `columns to write, of ${COMPUTED.join(', ')}: scores; Hotelling's T²; Q, the squared reconstruction error, which error is too; 1 for a row beyond the 95 % limit of T² or Q, or else 0 (default: scores)`,
  read: (given) => {
    const names = readList(given)?.map((name) => name.trim());
    const valid = names?.every((name) => COMPUTED.includes(name)) && new Set(names).size === names.length;
    return valid ? { value: names } : { must: `be names of ${COMPUTED.join(', ')}, divided by commas, each once` };
  },
};

export const FAIL_ABOVE_FLAG: Flag = {
  name: 'fail-above',
  value: 'SHARE',
  what: 'exit with code 3 if a larger share of the rows is beyond a limit, such as 1% or 0.01',
  read: (given) => {
    const [, digits, sign] = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(given.trim()) ?? [];
    const share = Number(digits) / (sign ? 100 : 1);
    return share >= 0 && share < 1 ? { value: share } : { must: 'be a share such as 1% or 0.01' };
  },
};

export const APPEND_FLAG = toggle(
  'append',
  'also write every column of the table before the computed ones, in its order and as it is written; numbers in .parquet and .arrow are 64-bit floats',
);

export const outputFlag = (what: string): Flag => text('output', 'FILE', what, 'o');

export const TABLES_FLAGS: readonly Flag[] = [
  text('tables', 'FOLDER', 'write tables there: columns, rows, groups and what else was asked for'),
  choice('tables-format', ['csv', 'tsv', 'parquet'], 'format of the table of rows (default: csv)'),
  CSV_SAFE_FLAG,
];

export const COVARIANCE_FLAG = text(
  'covariance',
  'FILE',
  'analyse a covariance or correlation matrix instead of rows: columns of numbers, with or without a first column of row names',
);

export const COVARIANCE_ROWS_FLAG = number(
  'rows',
  'N',
  'with --covariance: the number of rows that it was computed from',
  'be a whole number from 2 up',
  (v) => Number.isSafeInteger(v) && v >= 2,
);
