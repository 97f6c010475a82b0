import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { AnalyzeOptions } from '@scree/analysis';
import { DataError, Moments, type RowSource, wasmEngine } from '@scree/core';
import { type Block, mapSource } from '@scree/core/data';
import { compileKernels, openDevice } from '@scree/core/engine';
import { isServerUrl } from '../database/postgres-url.js';
import { writeAtomically } from '../disk/atomic-file.js';
import { expandPaths, namesSeveral } from '../disk/expand-paths.js';
import { type DataFile, FileError } from '../disk/index.js';
import { readRegularFile } from '../disk/regular-file.js';
import { systemError } from '../disk/system-error.js';
import type { CheckpointLock } from './checkpoint-lock.js';
import { afterRows } from './describe-error.js';
import { Fingerprint } from './fingerprint.js';
import type { Terminal } from './terminal.js';

/** Bytes of numbers in a group. A checkpoint can be saved after each group; groups have a fixed size, so that the sums do not depend on when it is saved. */
const GROUP = 64 * 2 ** 20;
/** Version of the format. Version 1 had no checksum, no engine and no version number. */
const VERSION = 2;
/** Largest checkpoint that is read, in bytes. */
const LARGEST = 4 * 2 ** 30;

export interface CheckpointOptions {
  readonly path: string;
  readonly lock: CheckpointLock;
  /** Seconds between two saves. */
  readonly every: number;
  /** A checkpoint is resumed only if these are the same: the file, its columns, the treatment of missing values, the engine. */
  readonly identity: Identity;
  /** If true, rows are compared with the rows that were read before. For data without a file, which have no date of change. */
  readonly compare: boolean;
  readonly options: AnalyzeOptions;
  /** One weight per row. */
  readonly weights?: Float64Array | undefined;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Moments of a file, saved at intervals. If the process is killed and started again, it continues after the last save. It adds up the same
 * groups of blocks in the same order, so the result has the same bits.
 */
export async function momentsWithCheckpoint(file: DataFile, how: CheckpointOptions): Promise<Moments> {
  const { source } = file;
  const { path, every, weights, terminal, signal } = how;
  const kept = await load(path, how.identity);
  let { moments, rows } = kept ?? { moments: new Moments(source.cols, source.columnNames), rows: 0 };
  const print = how.compare ? new Fingerprint() : undefined;
  if (kept) terminal.note(`Going on after ${rows} ${rows === 1 ? 'row' : 'rows'} (${path}).`);
  const blocks = iterate(source);
  try {
    let next = await skip(blocks, rows, print);
    if (kept && print && print.value !== kept.print)
      throw changed('The rows are not those that the checkpoint was written from.');
    const most = Math.max(1, Math.floor(GROUP / 8 / source.cols));
    for (let saved = performance.now(); next; ) {
      const before = rows;
      const group = async function* (): AsyncGenerator<Block, void, void> {
        for (let seen = 0; next && seen < most; ) {
          const block: Block = next;
          seen += block.rows;
          print?.add(block);
          yield block;
          rows += block.rows;
          next = await take(blocks);
          // Weights need a known number of rows, so a group with weights is one block.
          if (weights) return;
        }
      };
      const { engine, threads } = how.options;
      const onProgress: AnalyzeOptions['onProgress'] = ({ phase, done }) => {
        const total = file.rows ?? source.expectedRows?.();
        terminal.onProgress({ phase, done: before + done, ...(total === undefined ? {} : { total }) });
      };
      const some = weights?.subarray(rows, rows + next.rows);
      if (some && !some.some((weight) => weight !== 0)) {
        // All weights are 0: nothing to add.
        print?.add(next);
        rows += next.rows;
        next = await take(blocks);
        continue;
      }
      const sums = moments;
      moments = await afterRows(before, () =>
        sums.add(groupOf(source, group), {
          signal,
          onProgress,
          ...(some ? { weights: some } : {}),
          ...(engine ? { engine } : {}),
          ...(threads ? { threads } : {}),
        }),
      );
      if (performance.now() - saved < 1000 * every) continue;
      await how.lock.confirm();
      await save(
        path,
        { version: VERSION, identity: how.identity, rows, ...(print ? { print: print.value } : {}) },
        moments,
      );
      saved = performance.now();
    }
    return moments;
  } finally {
    await blocks.return?.(undefined);
  }
}

export type Identity = Readonly<Record<string, unknown>> & { readonly computed: Readonly<Record<string, unknown>> };

/**
 * The facts that a resumed run must share with the checkpoint: the data, the options for reading them, and everything that affects the last
 * bits of the sums.
 */
export async function identityOf(
  paths: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  columns: readonly string[],
  options: AnalyzeOptions,
): Promise<Identity> {
  const [path] = paths;
  const isFile = path !== undefined && path !== '-' && !isServerUrl(path);
  const several = paths.length > 1 || (isFile && (await namesSeveral(path)));
  const { size = null, mtimeMs = null } = isFile && !several ? await statOf(path) : {};
  const said = ['sql', 'member', 'format', 'missing', 'weight', 'memory', 'engine'].map((name) => [
    name,
    flags[name] ?? null,
  ]);
  return {
    path: path ?? null,
    ...(several ? { files: await stateOfAll(paths) } : {}),
    size,
    mtimeMs,
    columns: columns.length,
    names: createHash('sha256').update(JSON.stringify(columns)).digest('hex'),
    ...Object.fromEntries(said),
    // Checkpoints of versions without this flag do not have the field.
    ...(flags.na === undefined ? {} : { na: (flags.na as readonly string[]).join(',') }),
    computed: await computedBy(options),
  };
}

/** Names, sizes and dates of several files, in one number. */
async function stateOfAll(names: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await expandPaths(names)) {
    const { size, mtimeMs } = await statOf(path);
    hash.update(JSON.stringify([path, size, mtimeMs]));
  }
  return hash.digest('hex');
}

function statOf(path: string): Promise<Stats> {
  return stat(path).catch((error: unknown) => {
    throw systemError(error, path, 'read');
  });
}

/**
 * The engine that adds up, and everything that affects its last bits. WebAssembly gives the same bits for any number of threads. A BLAS
 * library divides its work by the number of threads, and has different code for every kind of processor.
 */
async function computedBy({ engine = 'auto', threads }: AnalyzeOptions): Promise<Record<string, unknown>> {
  if (engine === 'webgpu') {
    const opened = await openDevice();
    return { engine, device: typeof opened === 'string' ? undefined : opened.gpu.adapter };
  }
  if (engine === 'auto' || engine === 'blas') {
    const { blasEngine, loadBlas, MAX_THREADS } = await import('../blas/blas.js');
    const made = await blasEngine(threads === undefined ? {} : { threads: Math.min(threads, MAX_THREADS) });
    const blas = await loadBlas();
    if (made && typeof blas !== 'string') {
      const { kind, version, path } = blas.library;
      const library = `${kind} ${version}, ${path}`;
      return { engine: 'blas', threads: made.threads, library, processor: cpus()[0]?.model };
    }
  }
  const wasm = engine !== 'reference' && (await wasmEngine({ threads })) && (await compileKernels());
  return wasm ? { engine: 'wasm', fused: wasm.relaxed } : { engine: 'reference' };
}

/** Some rows of a source, which can be read once. */
function groupOf(source: RowSource, blocks: RowSource['blocks']): RowSource {
  const unknown = { rows: undefined, expectedRows: undefined, sample: undefined, remote: undefined };
  const kept = { warnings: () => [], close: () => {} };
  return mapSource(source, { ...unknown, ...kept, rereadable: false, resident: false, blocks });
}

type Blocks = AsyncIterator<Block> | Iterator<Block>;

function iterate(source: RowSource): Blocks {
  const blocks = source.blocks();
  return Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]();
}

async function take(blocks: Blocks): Promise<Block | undefined> {
  const { done, value } = await blocks.next();
  return done ? undefined : value;
}

/** Skips `rows` rows and returns the next block. A block must begin there. */
async function skip(blocks: Blocks, rows: number, print: Fingerprint | undefined): Promise<Block | undefined> {
  let seen = 0;
  let block = await take(blocks);
  while (block && seen < rows) {
    seen += block.rows;
    print?.add(block);
    block = await take(blocks);
  }
  if (seen === rows) return block;
  throw changed(
    `There are fewer rows than when the checkpoint was written, or they come in other blocks (${rows} were read then).`,
  );
}

function changed(what: string): DataError {
  return new DataError('SOURCE_CHANGED', `${what} Delete the checkpoint and start again.`);
}

/**
 * A checkpoint is a line of JSON, a line with the SHA-256 of everything else, and the moments as `Moments.toBinary` writes
 * them. Version 1 had no second line.
 */
interface CheckpointHeader {
  readonly version?: unknown;
  readonly identity?: unknown;
  readonly rows?: unknown;
  readonly print?: unknown;
}

async function save(path: string, header: CheckpointHeader, moments: Moments): Promise<void> {
  const first = Buffer.from(`${JSON.stringify(header)}\n`);
  const body = moments.toBinary();
  await writeAtomically(path, Buffer.concat([first, Buffer.from(`${checksum(first, body)}\n`), body]));
}

function checksum(header: Uint8Array, body: Uint8Array): string {
  return createHash('sha256').update(header).update(body).digest('hex');
}

interface Checkpoint {
  readonly moments: Moments;
  readonly rows: number;
  readonly print: unknown;
}

async function load(path: string, identity: Identity): Promise<Checkpoint | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(path, { what: 'a checkpoint', limitOf: () => LARGEST });
  } catch (error) {
    if (error instanceof FileError && error.code === 'NO_FILE') return undefined;
    throw error;
  }
  const { header, body } = parse(path, bytes);
  const version = header.version ?? 1;
  // Version 1 did not store which engine was used.
  const { computed, ...rest } = identity;
  checkIdentity(path, header.identity as Record<string, unknown>, version === 1 ? rest : identity);
  const moments = Moments.fromBinary(body);
  // Rows with weight 0 are read, but not counted in the moments.
  const counted = identity.weight === null ? header.rows === moments.rows : (header.rows as number) >= moments.rows;
  if (!Number.isSafeInteger(header.rows) || !counted) throw damaged(path);
  return { moments, rows: header.rows as number, print: header.print };
}

function parse(path: string, bytes: Buffer): { header: CheckpointHeader; body: Buffer } {
  const end = bytes.indexOf(10) + 1;
  let header: CheckpointHeader | null;
  try {
    header = JSON.parse(bytes.subarray(0, end).toString('utf8'));
  } catch {
    header = null;
  }
  if (typeof header !== 'object' || header === null || typeof header.identity !== 'object' || header.identity === null)
    throw new DataError('BAD_FILE', `${path} is not a checkpoint. Name another file, or delete it.`);
  if (header.version === undefined) return { header, body: bytes.subarray(end) };
  if (header.version !== VERSION) {
    throw new DataError(
      'BAD_FILE',
      `${path} is a checkpoint of version ${JSON.stringify(header.version)}, and this scree reads up to ${VERSION}. Use the scree that wrote it, or delete it to start again.`,
    );
  }
  const start = bytes.indexOf(10, end) + 1;
  const body = bytes.subarray(start);
  const stored = bytes.subarray(end, Math.max(end, start - 1)).toString('latin1');
  if (stored !== checksum(bytes.subarray(0, end), body)) throw damaged(path);
  return { header, body };
}

function damaged(path: string): DataError {
  return new DataError(
    'BAD_FILE',
    `${path} was changed or damaged after it was written (its checksum or row count is wrong). Delete it to start again.`,
  );
}

function checkIdentity(
  path: string,
  found: Record<string, unknown>,
  expected: Readonly<Record<string, unknown>>,
): void {
  const there = flat(found);
  const here = flat(expected);
  const differing = [...new Set([...there.keys(), ...here.keys()])].filter((key) => there.get(key) !== here.get(key));
  if (differing.length === 0) return;
  const what = differing
    .map((key) => `${key} ${there.get(key) ?? 'unset'}, now ${here.get(key) ?? 'unset'}`)
    .join('; ');
  throw new DataError(
    'SOURCE_CHANGED',
    `${path} is a checkpoint of other data, or of the same data read or computed differently (${what}). Use the same file and options, delete the checkpoint to start again, or name another.`,
  );
}

/**
 * The values of a record and of the records inside it, as text. An inner value replaces an outer one: the engine that was used replaces the
 * engine of the flag.
 */
function flat(record: Readonly<Record<string, unknown>>): Map<string, string> {
  const entries = Object.entries(record).flatMap(([key, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    return typeof value === 'object' ? [...flat(value as Record<string, unknown>)] : [[key, JSON.stringify(value)]];
  });
  return new Map(entries);
}
