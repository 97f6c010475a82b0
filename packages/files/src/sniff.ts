import { badFile, unsupported } from './file-error.js';
import type { FileFormat } from './options.js';
import { textOf } from './bytes/text.js';

/** Bytes at the beginning that tell formats apart. */
export const HEAD = 4096;

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  '.npy': 'npy',
  '.npz': 'npz',
  '.idx': 'idx',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.txt': 'csv',
  '.dat': 'csv',
  '.data': 'csv',
  '.tab': 'tsv',
  '.parquet': 'parquet',
  '.pq': 'parquet',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.arrow': 'arrow',
  '.feather': 'arrow',
  '.ipc': 'arrow',
  '.duckdb': 'duckdb',
  '.sqlite': 'sqlite',
  '.sqlite3': 'sqlite',
  '.scree': 'scree',
};

/** Formats that say what they are in their first bytes: nobody else's file begins so. */
const MARKS: readonly (readonly [FileFormat, (head: Uint8Array) => boolean])[] = [
  ['npy', (head) => starts(head, '\x93NUMPY')],
  ['npz', (head) => starts(head, 'PK\x03\x04') || starts(head, 'PK\x05\x06')],
  ['parquet', (head) => starts(head, 'PAR1')],
  ['arrow', (head) => starts(head, 'ARROW1') || starts(head, '\xff\xff\xff\xff')],
  ['sqlite', (head) => starts(head, 'SQLite format 3\0')],
  ['duckdb', (head) => starts(head, 'DUCK', 8)],
  ['scree', (head) => starts(head, 'SCREEZIP')],
  ['idx', isIdx],
];

/** Two zeros, a type, and at least one dimension. */
function isIdx([first, second, type, dimensions]: Uint8Array): boolean {
  return first === 0 && second === 0 && [8, 9, 11, 12, 13, 14].includes(type) && dimensions > 0;
}

/** What people try, and we know by sight only. */
const STRANGERS: readonly (readonly [string, string])[] = [
  ['\x89HDF', 'is an HDF5 file'],
  ['FEA1', 'is a Feather file of version 1'],
  ['MATLAB 5.0', 'is a MATLAB file'],
  ['%PDF', 'is a PDF'],
  ['\xd0\xcf\x11\xe0', 'is an old Office document'],
  ['\x89PNG', 'is a picture'],
  ['\xff\xd8\xff', 'is a picture'],
  ['Obj\x01', 'is an Avro file'],
  ['ORC', 'is an ORC file'],
  ['BZh', 'is packed with bzip2'],
  ['\xfd7zXZ', 'is packed with xz'],
  ['\x80\x04\x95', 'is a Python pickle'],
  ['PARE', 'is an encrypted Parquet file'],
];

/** The format a file has, by its first bytes; its name decides only between kinds of text. */
export function sniffFormat(head: Uint8Array, name: string, path: string): FileFormat {
  const mark = MARKS.find(([, begins]) => begins(head));
  if (mark) return mark[0];
  const stranger = STRANGERS.find(([start]) => starts(head, start));
  if (stranger) throw unsupported(path, stranger[1], 'Save the data as .npy, .csv, .parquet or .arrow.');
  const named = EXTENSIONS[endingOf(name.replace(/\.(gz|zst|gzip|zstd)$/i, ''))];
  if (named && !['csv', 'tsv', 'json', 'ndjson'].includes(named)) {
    throw badFile(path, `it does not begin as .${named} files do. If it is something else, say its format`);
  }
  if (head.includes(0) && !(head[0] === 0xff || head[0] === 0xfe))
    throw badFile(path, 'it is neither text nor a format that scree knows');
  return named ?? guessText(head);
}

/** The last dot of a name and what follows; a name that begins with its only dot has no ending. */
function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

function guessText(head: Uint8Array): FileFormat {
  const text = textOf(head)
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  // A first line that is a whole record, and then another.
  const line = text.split('\n', 1)[0].trim();
  try {
    JSON.parse(line);
    return 'ndjson';
  } catch {
    return 'json';
  }
}

function starts(head: Uint8Array, text: string, at = 0): boolean {
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
