/**
 * The data that golden checkpoints were made of, the same on every machine: whole numbers only.
 * Golden checkpoints are refused with other data, so this file must not change.
 */

/** Seconds since 1970 that the files must say they were changed at: a checkpoint knows its file by size and time. */
export const CHANGED_AT = 1_700_000_000;

/** Columns of the arrays, and rows: enough that the covariance is saved when the file is half read. */
const COLS = 8;
const ROWS = 1_600_000;

function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state;
  };
}

/** An array of bytes as a .npy file. */
export function bytesNpy() {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${ROWS}, ${COLS}), }`;
  const start = Buffer.from(`\x93NUMPY\x01\x00v\x00${header.padEnd(117)}\n`, 'latin1');
  const data = Buffer.alloc(ROWS * COLS);
  const next = generator(1);
  for (let at = 0; at < data.length; at++) data[at] = (next() >> 8) % (10 + 30 * (at % COLS));
  return Buffer.concat([start, data]);
}

/** A CSV file with a column of weights, and gaps. */
export function weightedCsv() {
  const next = generator(2);
  const lines = ['a,b,"c, d",weight'];
  for (let i = 0; i < 100_000; i++) {
    const [a, b, c] = [next() % 1000, next() % 77, next() % 5000];
    lines.push(`${a},${i % 50 === 7 ? '' : b + (a >> 2)},${c - a}.5,${i % 3}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The files, and the commands whose checkpoints are kept. */
export const CHECKPOINTS = {
  dense: { file: 'bytes.npy', content: bytesNpy, args: ['bytes.npy', '--memory', '17MiB'] },
  'standard-input': { file: 'bytes.npy', content: bytesNpy, args: ['-', '--memory', '17MiB'] },
  weighted: {
    file: 'weighted.csv',
    content: weightedCsv,
    args: ['weighted.csv', '--memory', '17MiB', '--missing', 'mean', '--weight', 'weight'],
  },
};
