import type { CriterionName, RotationMethod } from '@scree/core';
import { SOLVER_NAMES } from '@scree/core/names';
import { ENGINE_NAMES } from '../engine-names.js';
import type { Command } from './command.js';
import { DATA_FLAGS, MIXED_DATA_FLAGS } from './data-flags.js';
import { choice, type Flag, list, number, rowRanges, text, toggle } from './flags.js';
import { BETWEEN_FLAG, BY_FLAG, METHOD_FLAGS, RESIDUALIZE_FLAG, UNSEEN_FLAG } from './method-flags.js';

const COMMON_FLAGS: readonly Flag[] = [
  toggle('quiet', 'print no progress and no notes', 'q'),
  toggle('debug', 'print the stack of an error'),
  toggle('help', 'print this help', 'h'),
];

const JSON_FLAG = toggle('json', 'print one JSON object to standard output');

const THREADS_FLAG = number(
  'threads',
  'N',
  'number of threads (default: one per core)',
  'be a whole number from 1 to 256',
  (v) => Number.isSafeInteger(v) && v >= 1 && v <= 256,
);

/** Every criterion for the number of components. The compiler holds this list to the library's, which a help text must not load. */
const CRITERIA = Object.keys({
  parallel: 0,
  permutation: 0,
  'broken-stick': 0,
  kaiser: 0,
  'gavish-donoho': 0,
  mle: 0,
  'profile-likelihood': 0,
  gcv: 0,
  'cross-validation': 0,
  map: 0,
  'tracy-widom': 0,
  elbow: 0,
} satisfies Record<CriterionName, 0>);

const COMPONENTS_FLAG: Flag = {
  name: 'components',
  short: 'k',
  value: 'K',
  what: 'number of components, or auto, or the criterion that chooses it (default: 10, or all if there are fewer)',
  choices: ['auto', ...CRITERIA],
  read: (given) => {
    if (given === 'auto' || CRITERIA.includes(given)) return { value: given };
    const found = given.trim() === '' ? Number.NaN : Number(given);
    return Number.isSafeInteger(found) && found >= 1
      ? { value: found }
      : { must: `be a whole number from 1 up, auto, or one of ${CRITERIA.join(', ')}` };
  },
};

const BOOTSTRAP_FLAG = number(
  'bootstrap',
  'N',
  'samples drawn from the rows to see how stable the components are; 0 for none (default: 200, or 0 for large tables)',
  'be 0, or a whole number from 10 to 100000',
  (v) => v === 0 || (Number.isSafeInteger(v) && v >= 10 && v <= 100_000),
);

const SCALE_RULES = ['none', 'unit', 'pareto', 'range', 'median'];

const SCALE_FLAG = choice(
  'scale',
  SCALE_RULES,
  'divide each column by its standard deviation (unit), the root of that (pareto), its range, or its median absolute deviation times 1.4826 (median) (default: none)',
);

/** The same, and log-ratios for the parts of a composition. */
const CODED_SCALE_FLAG = choice(
  'scale',
  [...SCALE_RULES, 'clr', 'ilr'],
  'divide each column by its standard deviation (unit), the root of that (pareto), its range, or its median absolute deviation times 1.4826 (median); for the parts of a composition, take centred or isometric log-ratios (clr, ilr) (default: none)',
);

/** How a sketch scales: what is known from one reading. */
const SKETCH_SCALE_FLAG = choice(
  'scale',
  ['none', 'unit', 'pareto', 'range'],
  'how a sketch scales the columns, as for fit (default: none)',
);

const ENGINE_FLAG = choice(
  'engine',
  ['auto', ...ENGINE_NAMES, 'spark'],
  'what does the arithmetic (default: the fastest available, see scree doctor); spark is for tables on Spark',
);

const SEED_FLAG = number(
  'seed',
  'N',
  'seed of the random numbers (default: 0)',
  'be a whole number',
  Number.isSafeInteger,
);

/** Of `scree moments`: no default, because it takes as long as that many fits. */
const BOOTSTRAP_PARTS_FLAG: Flag = {
  ...BOOTSTRAP_FLAG,
  what: 'also keep the moments of N samples drawn from the rows, to see how stable the components are (default: 0)',
};

const WIDTH_FLAG = number(
  'components',
  'K',
  'of a sketch: how many components it is for (default: 10)',
  'be a whole number from 1 up',
  (v) => Number.isSafeInteger(v) && v >= 1,
  'k',
);

const FIT_FLAGS: readonly Flag[] = [
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
const CODED_FIT_FLAGS: readonly Flag[] = [
  ...FIT_FLAGS.map((flag) => (flag === SCALE_FLAG ? CODED_SCALE_FLAG : flag)),
  ...METHOD_FLAGS,
  UNSEEN_FLAG,
];

const FIT_ONLY_FLAGS: readonly Flag[] = [
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

const SUPPLEMENTARY_FLAGS: readonly Flag[] = [
  list('supplementary', 'A,B,…', 'numeric columns to correlate with the components; they are not analysed'),
  rowRanges('supplementary-rows', 'rows, such as 24-27, that get scores but have no part in the fit'),
  list(
    'group',
    'A,B,…',
    'columns that divide the rows into groups, to compare on the components; they are not analysed',
  ),
];

/** Every rotation. The compiler holds this list to the library's, which a help text must not load. */
const ROTATIONS = Object.keys({ varimax: 0, quartimax: 0, promax: 0, oblimin: 0 } satisfies Record<RotationMethod, 0>);

const ROTATE_FLAG = choice(
  'rotate',
  ROTATIONS,
  'rotate the components so that each column has a large loading on few of them: as many as -k says or as are recommended',
);

const COLUMN_WEIGHTS_FLAG = text(
  'column-weights',
  'FILE',
  'how much columns count: lines such as height,2, or a JSON object; other columns have the weight 1',
);

const MODEL_FLAG = text('model', 'MODEL', 'use this model instead of fitting one');

const IMAGE_FLAG: Flag = {
  name: 'image',
  value: 'WIDTHxHEIGHT',
  what: 'show rows as pictures of this size (default: the shape of the array, if it has three dimensions)',
  read: (given) => {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(given) ?? [];
    const found = { width: Number(width), height: Number(height) };
    return found.width > 0 && found.height > 0 ? { value: found } : { must: 'be a size such as 28x28' };
  },
};

const CSV_SAFE_FLAG = toggle(
  'csv-safe',
  'in .csv and .tsv, keep spreadsheets from running names and labels as formulas',
);

const outputFlag = (what: string): Flag => text('output', 'FILE', what, 'o');

const TABLES_FLAGS: readonly Flag[] = [
  text('tables', 'FOLDER', 'write tables there: columns, rows, groups and what else was asked for'),
  choice('tables-format', ['csv', 'tsv', 'parquet'], 'format of the table of rows (default: csv)'),
  CSV_SAFE_FLAG,
];

/** All commands. The code of a command is loaded when it is called. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'fit',
    summary: 'find the principal components of a data file',
    usage: 'DATA…',
    minPositionals: 0,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      ...CODED_FIT_FLAGS,
      RESIDUALIZE_FLAG,
      BETWEEN_FLAG,
      BY_FLAG,
      BOOTSTRAP_FLAG,
      ...FIT_ONLY_FLAGS,
      outputFlag('write the model there: as JSON if the name ends in .json, otherwise in binary'),
      JSON_FLAG,
      ...MIXED_DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree fit data.csv -k 10 -o model.json', 'ten components of all numeric columns'],
      [
        'scree fit data.csv -k auto --bootstrap 1000',
        'as many components as stand out of noise, and how stable they are',
      ],
      ['scree fit big.npy --variance 0.95 --memory 500MB -o model.pca', 'a file larger than memory'],
      ['scree fit wine.csv --scale unit --label kind --json', 'results for another program'],
      [`scree fit --sql "select a, b from 'x.parquet' where a > 0" -k 2`, 'the result of a query'],
      ['scree fit postgres://me@host/shop --sql "select a, b from orders" -k 2', 'a query to a Postgres server'],
      [
        'scree fit sc://host:15002 --sql "select a, b, c from measurements" -k 2',
        'a query to Spark, whose executors compute',
      ],
      ['cat data.csv | scree fit - -k 3', 'standard input'],
      ["scree fit 'data/*.parquet' -k 10 -o model.json", 'many files as one table; so is a folder'],
      ['scree fit all.moments -k 10 -o model.json', 'moments, which scree moments and merge made'],
      ['scree fit huge.npy -k 20 --checkpoint huge.part -o model.json', 'can be continued after a crash'],
    ],
    load: () => import('./fit.js'),
  },
  {
    name: 'analyze',
    summary: 'how many components, how stable they are, what they mean, which rows are unusual: all of it, in words',
    usage: 'DATA…',
    minPositionals: 0,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      ...CODED_FIT_FLAGS,
      RESIDUALIZE_FLAG,
      BETWEEN_FLAG,
      BY_FLAG,
      BOOTSTRAP_FLAG,
      COLUMN_WEIGHTS_FLAG,
      ...SUPPLEMENTARY_FLAGS,
      ROTATE_FLAG,
      ...TABLES_FLAGS,
      outputFlag('write the model there: as JSON if the name ends in .json, otherwise in binary'),
      JSON_FLAG,
      ...MIXED_DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree analyze wine.csv --scale unit', 'columns that have different units'],
      ['scree analyze athletes.csv --scale unit --name athlete', 'unusual rows by their names'],
      [
        'scree analyze athletes.csv --scale unit --supplementary points --group competition --supplementary-rows 24-27',
        'columns, groups and rows that have no part in the fit',
      ],
      ['scree analyze survey.csv --scale unit -k 5 --rotate varimax', 'rotated loadings'],
      ['scree analyze survey.csv --method mca --exclude id', 'categories: all columns of text'],
      ['scree analyze athletes.csv --method famd --name athlete', 'numbers and categories together'],
      ["scree analyze wine.csv --method mfa --blocks 'smell=a..c;taste=d,e'", 'columns in blocks that count the same'],
      ['scree analyze soils.csv --scale clr', 'parts of a whole'],
      ['scree analyze genes.csv --transform log1p --residualize batch,age', 'counts, without what covariates explain'],
      ['scree analyze iris.csv --by Species', 'one analysis per group'],
      ['scree analyze iris.csv --between Species', 'the directions in which groups differ'],
      ['scree analyze data.csv --bootstrap 1000 --json', 'every number, for another program'],
    ],
    load: () => import('./analyze.js'),
  },
  {
    name: 'transform',
    summary: 'compute the scores of rows: their coordinates on the components',
    usage: 'MODEL DATA…',
    minPositionals: 2,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      outputFlag('write the scores there: .npy, .csv, .tsv, .parquet or .arrow'),
      text(
        'into',
        'TABLE',
        'of a table on Spark: write the scores into a new table there, with the columns that the model does not use',
      ),
      toggle('errors', 'with --into: the squared reconstruction error of each row, as the column error'),
      toggle('t2', "with --into: Hotelling's T² of each row, as the column t2"),
      CSV_SAFE_FLAG,
      THREADS_FLAG,
      UNSEEN_FLAG,
      ...MIXED_DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree transform model.json data.csv -o scores.npy', 'one row of scores per row of data'],
      ['scree transform model.json new.parquet -o scores.csv', 'rows that the model was not fitted to'],
      [
        'scree transform model.json data.csv --label name -o scores.csv',
        'with the names of the rows in the first column',
      ],
      [
        'scree transform model.json sc://host:15002 --table people --into scores --t2',
        'a table on Spark, whose executors compute and write the scores',
      ],
    ],
    load: () => import('./transform.js'),
  },
  {
    name: 'reconstruct',
    summary: 'compute rows from scores, in the units of the data',
    usage: 'MODEL SCORES',
    minPositionals: 2,
    maxPositionals: 2,
    flags: [
      outputFlag('write the rows there: .npy, .csv, .tsv, .parquet or .arrow'),
      CSV_SAFE_FLAG,
      ...DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree reconstruct model.json scores.npy -o data.npy', 'the best approximation that the components allow'],
    ],
    load: () => import('./reconstruct.js'),
  },
  {
    name: 'inspect',
    summary: 'describe a model, or moments, in sentences or as JSON',
    usage: 'MODEL',
    minPositionals: 1,
    maxPositionals: 1,
    flags: [
      outputFlag('where components go, one a row: .npy, .csv, .tsv, .parquet or .arrow'),
      CSV_SAFE_FLAG,
      JSON_FLAG,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree inspect model.json', 'plan, scree plot, certificate, warnings'],
      ['scree inspect model.json -o components.csv', 'the components as a table'],
    ],
    load: () => import('./inspect.js'),
  },
  {
    name: 'moments',
    summary: 'sum up a part of a table anywhere, to be merged with other parts',
    usage: 'DATA…',
    minPositionals: 1,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      outputFlag('write the moments there, such as part.moments'),
      BOOTSTRAP_PARTS_FLAG,
      choice(
        'keep',
        ['auto', 'moments', 'sketch'],
        'exact moments, or a sketch (default: moments, a sketch of wide data)',
      ),
      WIDTH_FLAG,
      number(
        'size',
        'N',
        'rows of a sketch (default: 2k + 10)',
        'be a whole number from 2 up',
        (v) => Number.isSafeInteger(v) && v >= 2,
      ),
      SKETCH_SCALE_FLAG,
      ENGINE_FLAG,
      THREADS_FLAG,
      SEED_FLAG,
      JSON_FLAG,
      ...DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree moments part-1.parquet -o part-1.moments', 'one part; the same rows give the same file'],
      ['ls parts/*.csv | xargs -P 8 -I{} scree moments {} -o {}.moments', 'many parts, eight at a time'],
      ['scree moments part-1.csv --bootstrap 200 -o part-1.moments', 'with replicates of a bootstrap'],
    ],
    load: () => import('./moments.js'),
  },
  {
    name: 'merge',
    summary: 'merge the moments of parts, in any order',
    usage: 'MOMENTS…',
    minPositionals: 1,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      outputFlag('write the merged moments there, such as all.moments'),
      text('manifest', 'FILE', 'names of all parts, one per line: stop if one is missing, or not named'),
      toggle('allow-duplicates', 'accept parts with the same rows'),
      JSON_FLAG,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree merge parts/*.moments -o all.moments', 'the same file whatever the order of the parts'],
      ['scree merge parts --manifest parts.txt -o all.moments', 'all of a folder, and none may be missing'],
    ],
    load: () => import('./merge.js'),
  },
  {
    name: 'compare',
    summary: 'compare the components of two models: congruence, angles, RV coefficient, Procrustes',
    usage: 'MODEL MODEL',
    minPositionals: 2,
    maxPositionals: 2,
    flags: [JSON_FLAG, ...COMMON_FLAGS],
    examples: [['scree compare before.json after.json', 'whether the same components were found']],
    load: () => import('./compare.js'),
  },
  {
    name: 'report',
    summary: 'write a page about the components: figures, tables and explanations',
    usage: 'DATA…',
    minPositionals: 0,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      outputFlag('write the page there, such as report.html'),
      text('figures', 'FOLDER', 'also write every figure into this folder, as SVG'),
      text('title', 'TEXT', 'title of the page (default: the name of the file)'),
      IMAGE_FLAG,
      MODEL_FLAG,
      ...CODED_FIT_FLAGS,
      RESIDUALIZE_FLAG,
      BETWEEN_FLAG,
      { ...BY_FLAG, what: 'one page per group of rows with the same value in this column' },
      COLUMN_WEIGHTS_FLAG,
      BOOTSTRAP_FLAG,
      ROTATE_FLAG,
      ...SUPPLEMENTARY_FLAGS,
      ...MIXED_DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree report data.csv --label species -o report.html', 'one file, no network: open it in a browser'],
      [
        'scree report digits.npy --image 28x28 -k 50 -o digits.html --figures figures',
        'components and reconstructions as pictures',
      ],
      [
        'scree report athletes.csv --scale unit --name athlete --group competition --supplementary points -o report.html',
        'named rows, ellipses of groups, and a column that has no part in the fit',
      ],
      ['scree report iris.csv --by Species -o iris.html', 'one page per group: iris-setosa.html, …'],
      ['scree report iris.csv --between Species -o iris.html', 'the directions in which groups differ'],
    ],
    load: () => import('./report.js'),
  },
  {
    name: 'compress',
    summary: 'write a smaller file: the model and rounded scores',
    usage: 'DATA…',
    minPositionals: 0,
    maxPositionals: Number.POSITIVE_INFINITY,
    flags: [
      outputFlag('write the compressed file there, such as data.scree'),
      choice('quantise', ['uniform', 'int8', 'float16'], 'how to round the scores (default: uniform, the smallest)'),
      toggle('recall', 'for embeddings: also print how many of the ten nearest neighbours stay the same'),
      MODEL_FLAG,
      JSON_FLAG,
      ...FIT_FLAGS,
      ...DATA_FLAGS,
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree compress data.npy -o data.scree --variance 0.95', 'keeps 95 % of the variance'],
      ['scree compress embeddings.npy -o small.scree -k 256 --recall', 'neighbours before and after'],
    ],
    load: () => import('./compress.js'),
  },
  {
    name: 'decompress',
    summary: 'read the rows of a .scree file',
    usage: 'FILE',
    minPositionals: 1,
    maxPositionals: 1,
    flags: [outputFlag('write the rows there: .npy, .csv, .tsv, .parquet or .arrow'), CSV_SAFE_FLAG, ...COMMON_FLAGS],
    examples: [['scree decompress data.scree -o data.npy', 'all rows, without what compression lost']],
    load: () => import('./decompress.js'),
  },
  {
    name: 'lab',
    summary: 'explore the components of your data in your browser',
    usage: '[DATA]',
    minPositionals: 0,
    maxPositionals: 1,
    flags: [
      number(
        'port',
        'N',
        'port of the page, which only this machine can reach (default: any free port)',
        'be a whole number from 1 to 65535',
        (v) => Number.isInteger(v) && v >= 1 && v <= 65535,
      ),
      toggle('no-open', 'print the address and do not open a browser'),
      ...COMMON_FLAGS,
    ],
    examples: [
      ['scree lab data.csv', 'explore a file; it is read by your browser and goes nowhere else'],
      ['scree lab', 'built-in data sets and lessons'],
      [
        'scree lab data.npy --port 8765 --no-open',
        'on another machine: ssh -L 8765:127.0.0.1:8765 brings the page to yours',
      ],
    ],
    load: () => import('./lab.js'),
  },
  {
    name: 'demo',
    summary: 'analyse real handwritten digits: plan, progress, scree plot',
    usage: '',
    minPositionals: 0,
    maxPositionals: 0,
    flags: [text('folder', 'FOLDER', 'write the files there (default: scree-demo)'), ...COMMON_FLAGS],
    examples: [['scree demo', 'takes less than a minute']],
    load: () => import('./demo.js'),
  },
  {
    name: 'doctor',
    summary: 'print which engines this machine can use, and how fast they are',
    usage: '',
    minPositionals: 0,
    maxPositionals: 0,
    flags: [JSON_FLAG, ...COMMON_FLAGS],
    examples: [['scree doctor', 'engines, threads, speed']],
    load: () => import('./doctor.js'),
  },
  {
    name: 'completion',
    summary: 'print the completion script for your shell',
    usage: 'bash|zsh|fish',
    minPositionals: 1,
    maxPositionals: 1,
    flags: [...COMMON_FLAGS],
    examples: [
      ['source <(scree completion bash)', 'for this session; add the line to ~/.bashrc for all of them'],
      ['scree completion fish > ~/.config/fish/completions/scree.fish', 'for fish'],
    ],
    load: () => import('./completion.js'),
  },
];
