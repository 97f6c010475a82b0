import { type ByteReader, readWhole } from '../bytes/bytes.js';
import { latin1Of, textOf } from '../bytes/text.js';
import { badFile, truncated, unsupported } from '../file-error.js';
import { type NumberType, numberType } from './number-type.js';

/** The header of a .npy file: the layout of one array. */
export interface ArrayLayout {
  readonly type: NumberType;
  readonly bigEndian: boolean;
  /** True if the first index runs fastest. */
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Bytes before the values. */
  readonly offset: number;
}

/** Texts of one length, as SciPy and NumPy store names: bytes, or UTF-32. */
export interface TextLayout {
  readonly kind: 'S' | 'U';
  readonly length: number;
  readonly bigEndian: boolean;
  readonly shape: readonly number[];
  readonly offset: number;
}

/** Longest header that is read: NumPy writes about a hundred bytes, and refuses more than 10,000. */
const LONGEST = 1 << 16;
/** Most dimensions of an array in NumPy. */
const DIMENSIONS = 64;

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  readonly offset: number;
}

/** Reads the header, up to the first value. */
export async function readNpyHeader(reader: ByteReader, path: string): Promise<Header> {
  const start = new Uint8Array(8);
  await readWhole(reader, start, path, 'the first bytes of a .npy file');
  if (start[0] !== 0x93 || latin1Of(start.subarray(1, 6)) !== 'NUMPY') {
    throw badFile(path, 'it does not begin as a .npy file does');
  }
  const version = start[6];
  if (version < 1 || version > 3) throw unsupported(path, `is .npy version ${version}`, 'Write it again with np.save.');
  const counter = new Uint8Array(version === 1 ? 2 : 4);
  await readWhole(reader, counter, path, 'its header');
  const length = counter.reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (length > LONGEST)
    throw badFile(path, `its header claims ${length} bytes, and no true one has more than ${LONGEST}`);
  const bytes = new Uint8Array(length);
  await readWhole(reader, bytes, path, `its header of ${length} bytes`);
  const text = version === 3 ? textOf(bytes) : latin1Of(bytes);
  return { ...parseHeader(text, path), offset: 8 + counter.length + length };
}

/** The header of an array of numbers. */
export async function readArrayLayout(reader: ByteReader, path: string): Promise<ArrayLayout> {
  const { descr, fortran, shape, offset } = await readNpyHeader(reader, path);
  const [, order, name] = /^([<>|=])?([a-zA-Z]\d+)$/.exec(descr) ?? [];
  const type = name === undefined ? undefined : numberType(name);
  if (!type) {
    throw unsupported(
      path,
      `holds values of type ${JSON.stringify(descr.slice(0, 60))}, not plain numbers`,
      'Convert it first, for example with x.astype("float64").',
    );
  }
  return { type, bigEndian: order === '>', fortran, shape, offset };
}

/** The header of an array of texts; undefined if it holds something else. */
export function textLayout(header: Header): TextLayout | undefined {
  const [, order, kind, digits] = /^([<>|=])?([SU])(\d{1,6})$/.exec(header.descr) ?? [];
  if (kind === undefined) return undefined;
  return {
    kind: kind as 'S' | 'U',
    length: Number(digits),
    bigEndian: order === '>',
    shape: header.shape,
    offset: header.offset,
  };
}

/**
 * The dictionary in the header: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. It is Python's own
 * notation, and only these three entries with values of these kinds are read. Nothing in it is executed.
 */
function parseHeader(text: string, path: string): Omit<Header, 'offset'> {
  const bad = (what: string) => badFile(path, `its header ${what}: ${JSON.stringify(text.slice(0, 80))}`);
  const body = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (body === undefined) throw bad('is not a dictionary');
  const found = new Map<string, string>();
  const entry = /\s*(['"])(\w{1,20})\1\s*:\s*('[^'\\]*'|"[^"\\]*"|True|False|\([\d\sL,]*\)|\[[^{}]*\])\s*(,|$)/y;
  while (entry.lastIndex < body.length && /\S/.test(body.slice(entry.lastIndex))) {
    const match = entry.exec(body);
    if (!match) throw bad('has an entry that cannot be read');
    if (found.has(match[2])) throw bad(`says ${match[2]} twice`);
    found.set(match[2], match[3]);
  }
  const [descr, order, shape] = ['descr', 'fortran_order', 'shape'].map((key) => found.get(key));
  if (descr === undefined || order === undefined || shape === undefined || found.size !== 3) {
    throw bad('must say descr, fortran_order and shape, and nothing else');
  }
  if (descr.startsWith('[')) {
    throw unsupported(path, 'holds records, not a plain array', 'Save its fields as one array of numbers.');
  }
  if (!/^['"]/.test(descr)) throw bad('names no type');
  if (order !== 'True' && order !== 'False') throw bad('says no order');
  if (!shape.startsWith('(')) throw bad('has no shape');
  return { descr: descr.slice(1, -1), fortran: order === 'True', shape: parseShape(shape, bad) };
}

function parseShape(text: string, bad: (what: string) => Error): number[] {
  const inner = text.slice(1, -1).trim().replace(/,$/, '');
  if (inner === '') return [];
  const shape = inner.split(',').map((part) => {
    const digits = /^\s*(\d{1,16})L?\s*$/.exec(part)?.[1];
    if (digits === undefined || !Number.isSafeInteger(Number(digits))) throw bad('has a shape that is none');
    return Number(digits);
  });
  if (shape.length > DIMENSIONS) throw bad(`has ${shape.length} dimensions`);
  return shape;
}

/** The number of values in the shape. Throws if it is too large to count, or the file is shorter or longer than the values. */
export function countValues(
  shape: readonly number[],
  bytesEach: number,
  available: number | undefined,
  path: string,
): number {
  // A zero makes the product zero, whatever the other dimensions are.
  const count = shape.includes(0) ? 0 : shape.reduce((product, size) => product * size, 1);
  const needed = count * bytesEach;
  if (!Number.isSafeInteger(needed)) throw badFile(path, `a shape of ${shape.join(' × ')} is more than any file holds`);
  if (available === undefined) return count;
  if (available < needed) {
    throw truncated(path, `its ${shape.join(' × ')} values need ${needed} bytes, and ${available} are there`);
  }
  if (available > needed) {
    throw badFile(path, `its ${shape.join(' × ')} values need ${needed} bytes, but ${available} are there`);
  }
  return count;
}
