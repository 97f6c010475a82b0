import type { FileHandle } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { type Engine, type Model, type RowSource, ScreeError } from '@scree/core';
import type { Block } from '@scree/core/data';
import { FileError } from '@scree/files';
import { badFile, readAhead, truncated, unsupported } from '@scree/files/platform';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { FileWatch } from '../disk/file-watch.js';
import { openRegularFile } from '../disk/regular-file.js';
import { isStoredType, STORED_TYPES, type StoredType, storeAs } from '../disk/stored-type.js';
import { systemError } from '../disk/system-error.js';
import { END, type Header, LARGEST_HEADER, LIST_HEAD, MAGIC, rowsPerBlock, START, TAIL } from './format.js';
import { NotLines, unpackLines } from './integers.js';
import { ModelProducts, productEngine, type StoredBasis } from './products.js';
import { fromUpperHalf, QUANTISERS, type Quantiser, unroundScores } from './quantise.js';
import { readSection, SECTION_HEAD } from './section.js';
import { readStoredModel } from './stored-model.js';

/** An open compressed file. Close it after use. */
export interface CompressedFile {
  /** The rows, decoded block by block. They can be read any number of times. */
  readonly source: RowSource;
  /** The stored model. Its components are rounded, and its certificate includes that error. */
  readonly model: Model;
  readonly rows: number;
  readonly cols: number;
  readonly k: number;
  /** The type of the rows. */
  readonly dtype: StoredType;
  readonly columnNames: readonly string[] | undefined;
  readonly quantise: Quantiser;
  readonly bytes: number;
  /** rows × cols × bytes of the type, over the size of the file. */
  readonly ratio: number;
  /** The errors that `compressFile` measured. */
  readonly rmsError: number;
  readonly relativeError: number;
  close(): Promise<void>;
}

type ReadAt = (into: Uint8Array, position: number) => Promise<number>;

interface StoredBlock {
  readonly rows: number;
  readonly bytes: number;
  readonly at: number;
}

/** How a compressed file is read. */
export interface OpenCompressedOptions {
  readonly threads?: number | undefined;
}

/**
 * Opens a file of `compressFile`. Everything in it is checked: a file that is cut off, changed or forged is a
 * `FileError`. Reading takes at most 64 times the size of the file for the model, and one block of rows.
 */
export async function openCompressed(path: string, options: OpenCompressedOptions = {}): Promise<CompressedFile> {
  const { handle, size } = await openRegularFile(path, `Save its data as a file first (cat ${path} > data.scree).`);
  try {
    const read = await readerOf(handle, path, size);
    return await read(handle, path, size, await productEngine(options.threads));
  } catch (error) {
    await closeRead(handle);
    throw systemError(error, path, 'read');
  }
}

type Reader = (handle: FileHandle, path: string, size: number, engine: Engine) => Promise<CompressedFile>;

/** One reader per format version. No reader is ever removed: `test/golden` has files of every released version. */
const READERS: Readonly<Record<number, Reader>> = { 1: readVersion1 };

/** The reader for the version in the first bytes of the file. */
async function readerOf(handle: FileHandle, path: string, size: number): Promise<Reader> {
  const start = Buffer.alloc(START);
  const read = await (fileBytes(handle, path, 0, size).readAt as ReadAt)(start, 0);
  const magic = Buffer.from(MAGIC, 'latin1');
  if (!magic.subarray(0, Math.min(read, magic.length)).equals(start.subarray(0, Math.min(read, magic.length))))
    throw badFile(
      path,
      start.toString('latin1', 0, 8) === 'SCREEPCA'
        ? 'it is a model, not compressed data'
        : 'it does not begin as a compressed file of scree does',
    );
  if (read < START) throw truncated(path, `it has only ${size} bytes`);
  const version = start.readUInt32LE(8);
  const newest = Math.max(...Object.keys(READERS).map(Number));
  if (version > newest)
    throw unsupported(path, `has format version ${version}; this scree reads up to version ${newest}`, 'Update scree.');
  if (!Object.hasOwn(READERS, version)) throw badFile(path, `its format version is ${version}, which does not exist`);
  return READERS[version];
}

async function readVersion1(handle: FileHandle, path: string, size: number, engine: Engine): Promise<CompressedFile> {
  const readAt = fileBytes(handle, path, 0, size).readAt as ReadAt;
  const from = { path, readAt };
  const listAt = await findList(readAt, size, path);
  const list = Buffer.from(await readSection(from, { at: listAt, end: size - TAIL, what: 'the list of its blocks' }));
  if (listAt + SECTION_HEAD + list.length !== size - TAIL)
    throw badFile(path, 'the list of its blocks has two lengths');
  const packed = await readSection(from, { at: START, end: listAt, what: 'its header' });
  const header = checkHeader(packed, path);
  const modelAt = START + SECTION_HEAD + packed.length;
  const stored = await readSection(from, { at: modelAt, end: listAt, what: 'its model' });
  const blocks = readList(list, header, { from: modelAt + SECTION_HEAD + stored.length, to: listAt }, path);
  const [rows, rmsError, relativeError] = [0, 8, 16].map((at) => list.readDoubleLE(at));
  if (![rmsError, relativeError].every((error) => error >= 0 && error < Number.POSITIVE_INFINITY))
    throw badFile(path, 'its errors are no numbers');
  const { cols, k, dtype, quantise, columnNames } = header;
  const { model, basis } = await modelOf(stored, header, engine, path);
  const watch = await FileWatch.start(handle, path);
  const reading = { path, readAt, end: listAt, header, blocks, basis, engine };
  return {
    source: {
      rows,
      cols,
      dtype: STORED_TYPES[dtype].dtype,
      ...(columnNames ? { columnNames } : {}),
      rereadable: true,
      resident: false,
      blocks: () => readBlocks(reading),
      warnings: () => watch.warnings(),
    },
    model,
    rows,
    cols,
    k,
    dtype,
    columnNames,
    quantise,
    bytes: size,
    ratio: (rows * cols * STORED_TYPES[dtype].bytes) / size,
    rmsError,
    relativeError,
    close: () => closeRead(handle),
  };
}

/** Checks the last bytes and returns the position of the list of blocks. */
async function findList(readAt: ReadAt, size: number, path: string): Promise<number> {
  if (size < START + TAIL + 3 * SECTION_HEAD) throw truncated(path, `it has only ${size} bytes`);
  const tail = Buffer.alloc(TAIL);
  await readAt(tail, size - TAIL);
  if (tail.toString('latin1', 4) !== END) throw truncated(path, 'its end is missing');
  const listAt = size - TAIL - SECTION_HEAD - tail.readUInt32LE(0);
  if (listAt < START) throw badFile(path, 'the list of its blocks is longer than the file');
  return listAt;
}

function checkHeader(packed: Uint8Array, path: string): Header {
  let header: Partial<Header> | null;
  try {
    header = JSON.parse(inflateRawSync(packed, { maxOutputLength: LARGEST_HEADER }).toString('utf8'));
  } catch (error) {
    throw badFile(path, `its header cannot be read (${(error as Error).message})`);
  }
  const bad = (what: string): FileError => badFile(path, `its header ${what}`);
  if (typeof header !== 'object' || header === null || header.format !== 'scree-compressed') throw bad('is another');
  const { cols, k, dtype, quantise, step, columnNames, model } = header;
  if (!(isCount(cols) && isCount(k) && k <= cols && Number.isSafeInteger(8 * k * cols)))
    throw bad(`has a shape that is none: ${JSON.stringify(k)?.slice(0, 20)} × ${JSON.stringify(cols)?.slice(0, 20)}`);
  if (!isStoredType(dtype)) throw bad('names a type that does not exist');
  if (!QUANTISERS.includes(quantise as Quantiser)) throw bad('names a way of rounding that does not exist');
  if (!(typeof step === 'number' && Number.isFinite(step) && (quantise === 'uniform' ? step > 0 : step === 0)))
    throw bad('has a step that is none');
  const names: unknown = columnNames;
  if (
    names !== undefined &&
    !(Array.isArray(names) && names.length === cols && names.every((name) => typeof name === 'string'))
  )
    throw bad('has names that are not those of its columns');
  if (typeof model !== 'object' || model === null) throw bad('has no model');
  return header as Header;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** The positions of the blocks. Together they must fill the space between the model and the list exactly. */
function readList(
  list: Buffer,
  { k, cols }: Header,
  place: { readonly from: number; readonly to: number },
  path: string,
): readonly StoredBlock[] {
  if (list.length <= LIST_HEAD || (list.length - LIST_HEAD) % 8 !== 0)
    throw badFile(path, 'the list of its blocks is none');
  const most = rowsPerBlock(k, cols);
  const blocks: StoredBlock[] = [];
  let { from: at } = place;
  let rows = 0;
  for (let i = LIST_HEAD; i < list.length; i += 8) {
    const block = { rows: list.readUInt32LE(i), bytes: list.readUInt32LE(i + 4), at };
    if (block.rows < 1 || block.rows > most)
      throw badFile(path, `a block of ${block.rows} rows is none: ${most} are the most`);
    at += SECTION_HEAD + block.bytes;
    rows += block.rows;
    blocks.push(block);
  }
  if (at !== place.to) throw badFile(path, 'its blocks are longer or shorter together than the file has room for');
  if (rows !== list.readDoubleLE(0))
    throw badFile(path, `its blocks have ${rows} rows, and it says ${list.readDoubleLE(0)}`);
  return blocks;
}

async function modelOf(
  bytes: Uint8Array,
  { model, k, cols: d, dtype, columnNames }: Header,
  engine: Engine,
  path: string,
): Promise<{ readonly model: Model; readonly basis: StoredBasis }> {
  try {
    return await readStoredModel(bytes, model, { k, d, dtype, ...(columnNames ? { columnNames } : {}) }, engine);
  } catch (error) {
    throw damaged(error, path, 'its model cannot be one');
  }
}

/** Turns errors that invalid bytes cause into a `FileError`. */
function damaged(error: unknown, path: string, what: string): unknown {
  if (error instanceof FileError) return error;
  if (
    error instanceof NotLines ||
    error instanceof ScreeError ||
    error instanceof RangeError ||
    error instanceof TypeError
  )
    return badFile(path, `${what} (${error.message.replace(/\.$/, '')})`);
  return error;
}

/** Larger than scores of real data, and small enough that sums of scores do not overflow. */
const LARGEST_SCORE = 1e250;

/** Checks that the integers are ones that `quantise` can have written. */
function checkRounded(values: Float64Array, quantise: Quantiser): void {
  const holds =
    quantise === 'uniform' ||
    values.every(
      quantise === 'int8' ? (value) => Math.abs(value) <= 127 : (bits) => bits < 2 ** 16 && (bits & 0x7c00) !== 0x7c00,
    );
  if (!holds) throw new NotLines(`a score is no ${quantise}`);
}

interface ReadBlocksOptions {
  readonly path: string;
  readonly readAt: ReadAt;
  readonly end: number;
  readonly header: Header;
  readonly blocks: readonly StoredBlock[];
  readonly basis: StoredBasis;
  readonly engine: Engine;
}

/** Decodes the rows. The next block is read and unpacked while the caller uses one. */
async function* readBlocks({
  path,
  header,
  blocks,
  basis,
  engine,
  ...from
}: ReadBlocksOptions): AsyncGenerator<Block, void, void> {
  const { k, cols, dtype, quantise, step } = header;
  const products = new ModelProducts(basis, engine);
  let index = 0;
  const next = async (): Promise<Float64Array | undefined> => {
    const block = blocks[index++];
    if (!block) return undefined;
    const { rows, bytes, at } = block;
    const what = `block ${index - 1}`;
    const payload = await readSection({ path, readAt: from.readAt }, { at, end: from.end, expected: bytes, what });
    const scaleBytes = quantise === 'uniform' ? 0 : 4 * k;
    if (payload.length < scaleBytes) throw badFile(path, `${what} is too short`);
    const scales = new Uint32Array(payload.slice(0, scaleBytes).buffer);
    if (scales.some((word) => !(fromUpperHalf(word) >= 0 && fromUpperHalf(word) < Number.POSITIVE_INFINITY)))
      throw badFile(path, `${what} has a scale that is none`);
    const shape = { lines: k, length: rows, signed: quantise !== 'float16' };
    try {
      const values = await unpackLines(payload.subarray(scaleBytes), shape);
      checkRounded(values, quantise);
      const scores = unroundScores({ ...shape, values, scales }, quantise, step);
      if (!scores.every((score) => Math.abs(score) < LARGEST_SCORE)) throw new NotLines('a score is no number');
      return scores;
    } catch (error) {
      throw damaged(error, path, `${what} is damaged`);
    }
  };
  for await (const scores of readAhead(next)) {
    const values = await products.rows(scores);
    const data = storeAs(values, dtype);
    yield {
      kind: 'dense',
      rows: scores.length / k,
      cols,
      stride: cols,
      data,
      ...(dtype === 'float16' ? { half: true } : {}),
    };
  }
}
