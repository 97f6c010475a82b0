import { textOf } from './bytes/text.js';
import { badFile, unsupported } from './file-error.js';
import { type FileFormat, FORMATS, formatByExtension, formatByHead, startsWith } from './formats.js';

/** Bytes at the beginning that tell formats apart. */
export const HEAD_BYTES = 4096;

/** Formats that are recognised only to say that they cannot be read. */
const UNREADABLE: readonly (readonly [string, string])[] = [
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
  const claimed = formatByHead(head);
  if (claimed) return claimed;
  if (startsWith(head, 'SCREESUM')) {
    throw unsupported(
      path,
      'holds moments, whose rows are gone',
      'scree fit, analyze, inspect and merge take moments; name the data themselves for what needs rows.',
    );
  }
  const unreadable = UNREADABLE.find(([start]) => startsWith(head, start));
  if (unreadable) throw unsupported(path, unreadable[1], 'Save the data as .npy, .csv, .parquet or .arrow.');
  const named = formatByExtension(extensionOf(name.replace(/\.(gz|zst|gzip|zstd)$/i, '')));
  if (named && FORMATS[named].begins) {
    throw badFile(path, `it does not begin as .${named} files do. If it is something else, say its format`);
  }
  if (head.includes(0) && !(head[0] === 0xff || head[0] === 0xfe))
    throw badFile(path, 'it is neither text nor a format that scree knows');
  return named ?? guessText(head);
}

/** The last dot of a name and what follows; a name that begins with its only dot has no ending. */
function extensionOf(name: string): string {
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
