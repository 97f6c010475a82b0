import type { Command } from './command.js';
import { DATA_FLAGS } from './data-flags.js';
import { choice, type Flag, number, on, text } from './flags.js';

const EVERYWHERE: readonly Flag[] = [
  on('quiet', 'say nothing on the way', 'q'),
  on('debug', 'show where an error came from'),
  on('help', 'this text', 'h'),
];

const JSON_FLAG = on('json', 'one JSON object on standard output, everything else on standard error');

const whole = (name: string, value: string, what: string, short?: string): Flag =>
  number(name, value, what, 'be a whole number from 1 up', (v) => Number.isSafeInteger(v) && v >= 1, short);

const THREADS = number(
  'threads',
  'N',
  'threads to use; all cores otherwise',
  'be a whole number from 1 to 256',
  (v) => Number.isSafeInteger(v) && v >= 1 && v <= 256,
);

const FIT_FLAGS: readonly Flag[] = [
  whole('components', 'K', 'how many components; 10 otherwise, or as many as there are', 'k'),
  number(
    'variance',
    'SHARE',
    'as many components as keep this share of the variance: 0.95',
    'be between 0 and 1',
    (v) => v > 0 && v < 1,
  ),
  on('all', 'all components'),
  choice('scale', ['none', 'unit', 'pareto', 'range'], 'what columns are divided by; none otherwise'),
  choice('whiten', ['pca', 'zca'], 'scores of variance 1'),
  on('no-center', 'do not subtract the mean'),
  number('ddof', 'N', 'covariance is S/(n − ddof); 1 otherwise', 'be a number from 0 up', (v) => v >= 0),
  choice(
    'solver',
    ['auto', 'covariance', 'refined', 'dual', 'svd', 'krylov', 'streaming', 'points', 'autoencoder', 'hebbian'],
    'the road; the plan decides otherwise',
  ),
  choice('engine', ['auto', 'wasm', 'blas', 'reference'], 'what runs the passes; the fastest otherwise'),
  THREADS,
  number('seed', 'N', 'of everything random; 0 otherwise', 'be a whole number', Number.isSafeInteger),
  number(
    'tolerance',
    'X',
    'residual that iterative solvers must reach',
    'be from 1e-14 to 0.1',
    (v) => v >= 1e-14 && v <= 0.1,
  ),
];

const FIT_ALONE: readonly Flag[] = [
  on('explain', 'say what every road would cost'),
  text('checkpoint', 'FILE', 'save the work on the way: killed and started again, it ends with the same bits'),
  number('every', 'SECONDS', 'how often to save; 10 otherwise', 'be a number from 0 up', (v) => v >= 0),
];

const MODEL = text('model', 'MODEL', 'a model that is there already, instead of fitting one');

const IMAGE: Flag = {
  name: 'image',
  value: 'WIDTHxHEIGHT',
  what: 'rows are pictures of that size; arrays of pictures say so themselves',
  read: (given) => {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(given) ?? [];
    const found = { width: Number(width), height: Number(height) };
    return found.width > 0 && found.height > 0 ? { value: found } : { must: 'be a size such as 28x28' };
  },
};

const CSV_SAFE = on('csv-safe', 'keep spreadsheets from running names and labels of a .csv or .tsv as formulas');

const OUT = (what: string): Flag => text('output', 'FILE', what, 'o');

/** All commands. Nothing of what they do is loaded before one is called. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'fit',
    summary: 'find the principal components of a data file',
    words: 'DATA',
    least: 0,
    most: 1,
    flags: [
      ...FIT_FLAGS,
      ...FIT_ALONE,
      OUT('where the model goes: .json, or any other name for the compact form'),
      JSON_FLAG,
      ...DATA_FLAGS,
      ...EVERYWHERE,
    ],
    examples: [
      ['scree fit data.csv -k 10 -o model.json', 'ten components of all numeric columns'],
      ['scree fit big.npy --variance 0.95 --memory 500MB -o model.pca', 'a file larger than memory'],
      ['scree fit wine.csv --scale unit --label kind --json', 'for programs'],
      [`scree fit --sql "select a, b from 'x.parquet' where a > 0" -k 2`, 'the result of a query'],
      ['cat data.csv | scree fit - -k 3', 'standard input'],
      ['scree fit huge.npy -k 20 --checkpoint huge.part -o model.json', 'hours that survive a crash'],
    ],
    load: () => import('./fit.js'),
  },
  {
    name: 'transform',
    summary: 'scores of rows: their coordinates on the components',
    words: 'MODEL DATA',
    least: 2,
    most: 2,
    flags: [
      OUT('where scores go: .npy, .csv, .tsv, .parquet or .arrow'),
      CSV_SAFE,
      THREADS,
      ...DATA_FLAGS,
      ...EVERYWHERE,
    ],
    examples: [
      ['scree transform model.json data.csv -o scores.npy', 'as many numbers a row as there are components'],
      ['scree transform model.json new.parquet -o scores.csv', 'rows that the model has not seen'],
      ['scree transform model.json data.csv --label name -o scores.csv', 'each with its name in front'],
    ],
    load: () => import('./transform.js'),
  },
  {
    name: 'reconstruct',
    summary: 'rows back from scores, in the units of the data',
    words: 'MODEL SCORES',
    least: 2,
    most: 2,
    flags: [OUT('where rows go: .npy, .csv, .tsv, .parquet or .arrow'), CSV_SAFE, ...DATA_FLAGS, ...EVERYWHERE],
    examples: [
      ['scree reconstruct model.json scores.npy -o data.npy', 'the best approximation that the components allow'],
    ],
    load: () => import('./reconstruct.js'),
  },
  {
    name: 'inspect',
    summary: 'what a model is, in words or as JSON',
    words: 'MODEL',
    least: 1,
    most: 1,
    flags: [
      OUT('where components go, one a row: .npy, .csv, .tsv, .parquet or .arrow'),
      CSV_SAFE,
      JSON_FLAG,
      ...EVERYWHERE,
    ],
    examples: [
      ['scree inspect model.json', 'plan, scree plot, certificate, warnings'],
      ['scree inspect model.json -o components.csv', 'the components as a table'],
    ],
    load: () => import('./inspect.js'),
  },
  {
    name: 'report',
    summary: 'a page about the components: figures, tables and what they mean',
    words: 'DATA',
    least: 0,
    most: 1,
    flags: [
      OUT('where the page goes: report.html'),
      text('figures', 'FOLDER', 'where every figure goes as an SVG file too'),
      text('title', 'TEXT', 'what the page is called; the name of the file otherwise'),
      IMAGE,
      MODEL,
      ...FIT_FLAGS,
      ...DATA_FLAGS,
      ...EVERYWHERE,
    ],
    examples: [
      ['scree report data.csv --label species -o report.html', 'one file, no network: open it in a browser'],
      [
        'scree report digits.npy --image 28x28 -k 50 -o digits.html --figures figures',
        'components and reconstructions as pictures',
      ],
    ],
    load: () => import('./report.js'),
  },
  {
    name: 'compress',
    summary: 'a smaller file: the model and rounded scores',
    words: 'DATA',
    least: 0,
    most: 1,
    flags: [
      OUT('where it goes: data.scree'),
      choice(
        'quantise',
        ['uniform', 'int8', 'float16'],
        'how scores are rounded; uniform, which is smallest, otherwise',
      ),
      on('recall', 'also say how many of the ten nearest neighbours stay: for embeddings'),
      MODEL,
      JSON_FLAG,
      ...FIT_FLAGS,
      ...DATA_FLAGS,
      ...EVERYWHERE,
    ],
    examples: [
      [
        'scree compress data.npy -o data.scree --variance 0.95',
        'a twentieth of the variance is lost, and most of the bytes',
      ],
      ['scree compress embeddings.npy -o small.scree -k 256 --recall', 'neighbours before and after'],
    ],
    load: () => import('./compress.js'),
  },
  {
    name: 'decompress',
    summary: 'the rows of a .scree file',
    words: 'FILE',
    least: 1,
    most: 1,
    flags: [OUT('where rows go: .npy, .csv, .tsv, .parquet or .arrow'), CSV_SAFE, ...EVERYWHERE],
    examples: [['scree decompress data.scree -o data.npy', 'all rows, but for what was lost']],
    load: () => import('./decompress.js'),
  },
  {
    name: 'lab',
    summary: 'see and turn the components of your data, in your browser',
    words: '[DATA]',
    least: 0,
    most: 1,
    flags: [
      number(
        'port',
        'N',
        'where the page is served from, on this machine alone; any free one otherwise',
        'be a whole number from 1 to 65535',
        (v) => Number.isInteger(v) && v >= 1 && v <= 65535,
      ),
      on('no-open', 'only print the address, start no browser'),
      ...EVERYWHERE,
    ],
    examples: [
      ['scree lab data.csv', 'explore a file; it is read by your browser and goes nowhere else'],
      ['scree lab', 'data sets that are built in, and lessons'],
      [
        'scree lab data.npy --port 8765 --no-open',
        'on another machine: ssh -L 8765:127.0.0.1:8765 brings the page to yours',
      ],
    ],
    load: () => import('./lab.js'),
  },
  {
    name: 'demo',
    summary: 'real handwritten digits: plan, progress, scree plot',
    words: '',
    least: 0,
    most: 0,
    flags: [text('folder', 'FOLDER', 'where files go; scree-demo otherwise'), ...EVERYWHERE],
    examples: [['scree demo', 'what to expect, in a minute']],
    load: () => import('./demo.js'),
  },
  {
    name: 'doctor',
    summary: 'what this machine has, and how fast it is',
    words: '',
    least: 0,
    most: 0,
    flags: [JSON_FLAG, ...EVERYWHERE],
    examples: [['scree doctor', 'engines, threads, speed']],
    load: () => import('./doctor.js'),
  },
  {
    name: 'completion',
    summary: 'completion for your shell',
    words: 'bash|zsh|fish',
    least: 1,
    most: 1,
    flags: [...EVERYWHERE],
    examples: [
      ['source <(scree completion bash)', 'for this shell; put it into ~/.bashrc for all'],
      ['scree completion fish > ~/.config/fish/completions/scree.fish', 'for fish'],
    ],
    load: () => import('./completion.js'),
  },
];
