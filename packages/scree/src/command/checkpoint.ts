import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { type Block, DataError, Moments, type PcaOptions, type RowSource } from '@scree/core';
import type { DataFile } from '../files/index.js';
import { writeBeside } from '../write-beside.js';
import { countedFrom } from './counted-from.js';
import { Fingerprint } from './fingerprint.js';
import type { Narrator } from './terminal.js';

/** Bytes of numbers that are added up between two chances to save: a fixed amount, so that the sums do not depend on when that is. */
const GROUP = 64 * 2 ** 20;

export interface CheckpointOptions {
  readonly path: string;
  /** Seconds between two savings. */
  readonly every: number;
  /** What must be the same for a checkpoint to be gone on with: the file, its columns, what is done about gaps. */
  readonly identity: Readonly<Record<string, unknown>>;
  /** Whether rows are compared with those that were read before: where no file says by its date whether it has changed. */
  readonly compare: boolean;
  readonly options: PcaOptions;
  /** One weight a row. */
  readonly weights?: Float64Array | undefined;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

/**
 * Moments of a file, saved on the way. Killed at any moment and started again, the reading goes on after the last saving, adds up the same
 * groups of blocks in the same order, and ends with the same bits.
 */
export async function momentsWithCheckpoint(file: DataFile, how: CheckpointOptions): Promise<Moments> {
  const { source } = file;
  const { path, every, weights, narrator, signal } = how;
  const kept = await load(path, how.identity);
  let { moments, rows } = kept ?? { moments: new Moments(source.cols, source.columnNames), rows: 0 };
  const print = how.compare ? new Fingerprint() : undefined;
  if (kept) narrator.say(`Going on after ${rows} rows (${path}).`);
  const blocks = iterate(source);
  try {
    let next = await skip(blocks, rows, print);
    if (kept && print && print.value !== kept.print)
      throw changed('The rows are not those that the checkpoint was written of.');
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
          // Weights go with rows whose number is known beforehand: those of one block.
          if (weights) return;
        }
      };
      const { engine, threads } = how.options;
      const onProgress: PcaOptions['onProgress'] = ({ phase, done }) =>
        narrator.onProgress({ phase, done: before + done, ...(file.rows === undefined ? {} : { total: file.rows }) });
      const some = weights?.subarray(rows, rows + next.rows);
      if (some && !some.some((weight) => weight !== 0)) {
        // Rows that do not count: nothing to add.
        print?.add(next);
        rows += next.rows;
        next = await take(blocks);
        continue;
      }
      const sums = moments;
      moments = await countedFrom(before, () =>
        sums.add(
          { ...facts(source), blocks: group },
          {
            signal,
            onProgress,
            ...(some ? { weights: some } : {}),
            ...(engine ? { engine } : {}),
            ...(threads ? { threads } : {}),
          },
        ),
      );
      if (performance.now() - saved < 1000 * every) continue;
      await save(path, { identity: how.identity, rows, ...(print ? { print: print.value } : {}) }, moments);
      saved = performance.now();
    }
    return moments;
  } finally {
    await blocks.return?.(undefined);
  }
}

/** What tells one reading of a file from another. */
export async function identityOf(
  path: string | undefined,
  flags: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Promise<Record<string, unknown>> {
  const { size = null, mtimeMs = null } = path && path !== '-' ? await stat(path) : {};
  const said = ['sql', 'member', 'format', 'missing', 'weight', 'memory', 'engine'].map((name) => [
    name,
    flags[name] ?? null,
  ]);
  return {
    path: path ?? null,
    size,
    mtimeMs,
    columns: columns.length,
    names: createHash('sha256').update(JSON.stringify(columns)).digest('hex'),
    ...Object.fromEntries(said),
  };
}

function facts({ cols, dtype, nonzeros, columnNames }: RowSource): Omit<RowSource, 'blocks'> {
  return {
    cols,
    dtype,
    ...(nonzeros === undefined ? {} : { nonzeros }),
    ...(columnNames ? { columnNames } : {}),
    rewindable: false,
    resident: false,
  };
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

/** The first block after so many rows, which must be where a block begins. */
async function skip(blocks: Blocks, rows: number, print: Fingerprint | undefined): Promise<Block | undefined> {
  let seen = 0;
  let block = await take(blocks);
  while (block && seen < rows) {
    seen += block.rows;
    print?.add(block);
    block = await take(blocks);
  }
  if (seen === rows) return block;
  throw changed(`There are no ${rows} rows as there were when the checkpoint was written.`);
}

function changed(what: string): DataError {
  return new DataError('SOURCE_CHANGED', `${what} Delete the checkpoint and start again.`);
}

interface Head {
  readonly identity?: unknown;
  readonly rows?: unknown;
  readonly print?: unknown;
}

async function save(path: string, head: Head, moments: Moments): Promise<void> {
  const first = Buffer.from(`${JSON.stringify(head)}\n`);
  await writeBeside(path, Buffer.concat([first, moments.toBinary()]), true);
}

async function load(
  path: string,
  identity: object,
): Promise<{ moments: Moments; rows: number; print: unknown } | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const end = bytes.indexOf(10);
  let head: Head;
  try {
    head = JSON.parse(bytes.subarray(0, Math.max(0, end)).toString('utf8'));
  } catch {
    throw new DataError('BAD_FILE', `${path} is no checkpoint. Name another file, or delete it.`);
  }
  if (typeof head !== 'object' || head === null || head.identity === undefined) {
    throw new DataError('BAD_FILE', `${path} is no checkpoint. Name another file.`);
  }
  if (JSON.stringify(head.identity) !== JSON.stringify(JSON.parse(JSON.stringify(identity)))) {
    throw new DataError(
      'SOURCE_CHANGED',
      `${path} is a checkpoint of other data, or of another way to read them. Delete it to start anew, or name another.`,
    );
  }
  if (typeof head.rows !== 'number' || !Number.isSafeInteger(head.rows)) {
    throw new DataError('BAD_FILE', `${path} is no checkpoint. Name another file, or delete it.`);
  }
  return { moments: Moments.fromBinary(bytes.subarray(end + 1)), rows: head.rows, print: head.print };
}
