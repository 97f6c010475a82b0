import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModel, Moments, pca, type RowSource, ScreeError } from '@scree/core';
import { type BlobOptions, openBlob } from '@scree/files';
import type { Bytes, Table } from '@scree/files/platform';
import { plainUnpackers, unpacked } from '../../packages/files/src/archive/unpack.js';
import { openCsv } from '../../packages/files/src/csv/csv-table.js';
import { openJson } from '../../packages/files/src/json/json-table.js';
import { memoryFile } from '../../packages/files/test/make.js';
import { openOrigin } from '../../packages/lab/src/data/open-origin.js';
import { momentsWithCheckpoint } from '../../packages/scree/src/command/checkpoint.js';
import { openCompressed } from '../../packages/scree/src/compress/open-compressed.js';
import { nodeUnpackers } from '../../packages/scree/src/disk/unpackers.js';

/** Everything that reads bytes from outside: what the fuzzer mutates and the stored corpus is replayed through. */

/** Reads bytes to their end. It may throw a `ScreeError`; anything else is a defect. */
export type Target = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/** Bytes that a reader may take: the least that can be allowed. */
const MEMORY = 2 ** 24;
/** Numbers after which a reading is stopped: a few bytes may stand for very many rows. */
const NUMBERS = 2 ** 21;

export const isTyped = (error: unknown): boolean => error instanceof ScreeError;

/** A data file as `openBlob` reads it: all rows, and the labels of a column of text if it has one. */
const blob =
  (name: string, options: BlobOptions = {}): Target =>
  async (bytes) => {
    const content = new Blob([bytes]);
    const file = await openBlob(content, { name, memory: MEMORY, missing: 'drop', ...options });
    try {
      await readSource(file.source);
    } finally {
      await file.close();
    }
    const text = file.leftOut.find(({ why }) => why === 'text')?.name;
    if (text === undefined) return;
    const labelled = await openBlob(content, { name, memory: MEMORY, missing: 'drop', label: text, ...options });
    try {
      await labelled.labels();
    } finally {
      await labelled.close();
    }
  };

async function readSource(source: RowSource): Promise<void> {
  let numbers = 0;
  for await (const { rows, cols } of source.blocks()) {
    numbers += rows * cols;
    if (numbers > NUMBERS) break;
  }
}

/** A table as the page in the browser reads it: numbers, and every other column as text. */
const page =
  (name: string): Target =>
  async (bytes) => {
    const table = await openOrigin(bytes, name);
    try {
      await readTable(table);
    } finally {
      await table.close();
    }
  };

async function readTable(table: Table, see: (values: Uint8Array | string) => void = () => {}): Promise<void> {
  const { columns } = table;
  const numbers = [...columns.keys()].filter((j) => columns[j].kind === 'number');
  let seen = 0;
  for await (const { block } of table.read({ numbers: table.uniform ? 'all' : numbers })) {
    seen += block.rows * Math.max(1, block.cols);
    if (block.kind === 'dense')
      see(new Uint8Array(Float64Array.from(block.data.subarray(0, block.rows * block.cols)).buffer));
    if (seen > NUMBERS) break;
  }
  const text = columns.findIndex(({ kind }) => kind === 'text');
  if (text < 0) return;
  for await (const {
    texts: [values],
  } of table.read({ numbers: [], texts: [text] })) {
    seen += values.length;
    see(values.join('\0'));
    if (seen > NUMBERS) break;
  }
}

/** A model that is accepted can be stored and loaded again. */
const model: Target = async (bytes) => {
  const binary = bytes[0] === 0x53;
  const read = loadModel(binary ? bytes : new TextDecoder().decode(bytes));
  for (const again of [loadModel(read.toBinary()), loadModel(JSON.stringify(read))]) {
    if (JSON.stringify(again) !== JSON.stringify(read)) throw new Error('a model changes when it is stored again');
  }
};

/** Moments that are accepted can be stored, loaded again and fitted. */
const moments: Target = async (bytes) => {
  const read = Moments.fromBinary(bytes);
  Moments.fromBinary(read.toBinary());
  if (read.cols <= 8) await pca(read, { k: 1, engine: 'reference' });
};

/** Bytes as a file on disk, for what opens files itself. */
async function onDisk(bytes: Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const path = join(tmpdir(), `scree-fuzz-${randomUUID()}`);
  await writeFile(path, bytes);
  try {
    await use(path);
  } finally {
    await rm(path, { force: true });
  }
}

const scree: Target = (bytes) =>
  onDisk(bytes, async (path) => {
    const file = await openCompressed(path, { threads: 1 });
    try {
      await readSource(file.source);
    } finally {
      await file.close();
    }
  });

/** Twelve rows of three columns in blocks of four, for the checkpoint. */
function checkpointSource(fails = false): RowSource {
  return {
    rows: 12,
    cols: 3,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    async *blocks() {
      for (let from = 0; from < 12; from += 4) {
        if (fails && from === 8) throw new ScreeError('BAD_DATA', 'the rest is not there');
        const data = Float64Array.from({ length: 12 }, (_, i) => Math.sin((from * 3 + i) ** 2));
        yield { kind: 'dense', rows: 4, cols: 3, stride: 3, data };
      }
    },
  };
}

function fitCheckpoint(path: string, source: RowSource): Promise<Moments> {
  type Args = Parameters<typeof momentsWithCheckpoint>;
  const how = {
    path,
    every: 0,
    lock: { async confirm() {} },
    identity: { path: 'data.npy', size: 1, computed: { engine: 'reference' } },
    compare: false,
    options: { engine: 'reference' },
    // With weights there is a chance to save after every block.
    weights: new Float64Array(12).fill(1),
    terminal: { note() {}, onProgress() {} },
    signal: new AbortController().signal,
  };
  return momentsWithCheckpoint({ source, rows: 12 } as unknown as Args[0], how as unknown as Args[1]);
}

const checkpoint: Target = (bytes) =>
  onDisk(bytes, async (path) => {
    await fitCheckpoint(path, checkpointSource());
  });

/** A checkpoint of the first rows. */
export async function writtenCheckpoint(): Promise<Uint8Array> {
  let saved: Uint8Array = new Uint8Array(0);
  const path = join(tmpdir(), `scree-fuzz-${randomUUID()}`);
  try {
    await fitCheckpoint(path, checkpointSource(true)).catch((error: unknown) => {
      if (!isTyped(error)) throw error;
    });
    saved = await readFile(path);
  } finally {
    await rm(path, { force: true });
  }
  return saved;
}

/** The contents of a table, or the code of the error that reading it ends with. */
async function outcomeOf(opening: () => Promise<Table>): Promise<string> {
  const hash = createHash('sha256');
  try {
    const table = await opening();
    try {
      await readTable(table, (values) => hash.update(values));
    } finally {
      await table.close();
    }
  } catch (error) {
    if (error instanceof ScreeError) return error.code;
    throw error;
  }
  return hash.digest('hex');
}

/** The same bytes read in two ways have the same outcome; with `sound`, where both can read them. */
const alike =
  (sound: boolean, ...ways: ((bytes: Bytes) => Promise<Table>)[]): Target =>
  async (bytes) => {
    const outcomes: string[] = [];
    for (const open of ways) outcomes.push(await outcomeOf(() => open(memoryFile(bytes))));
    const differ = outcomes.some((outcome) => outcome !== outcomes[0]);
    if (differ && !(sound && outcomes.some((outcome) => /^[A-Z_]+$/.test(outcome))))
      throw new Error(`read in two ways: ${outcomes.join(', ')}`);
  };

const both =
  (...targets: Target[]): Target =>
  async (bytes) => {
    let refused: unknown;
    for (const target of targets) {
      await target(bytes).catch((error: unknown) => {
        if (!isTyped(error)) throw error;
        refused ??= error;
      });
    }
    if (refused !== undefined) throw refused;
  };

/** Records are cut everywhere by a window of 16 bytes. */
const csvWindows = alike(
  false,
  (bytes) => openCsv(bytes, { memory: MEMORY }),
  (bytes) => openCsv(bytes, { memory: MEMORY, window: 16 }),
);
const jsonWindows = (lines: boolean): Target =>
  alike(
    false,
    (bytes) => openJson(bytes, { memory: MEMORY, lines }),
    (bytes) => openJson(bytes, { memory: MEMORY, lines, window: 16 }),
  );
/** Our own gunzip, and zlib's, which ignores what follows the last member. */
const unzipped = alike(
  true,
  (bytes) => openCsv(unpacked(bytes, 'gzip', plainUnpackers), { memory: MEMORY }),
  (bytes) => openCsv(unpacked(bytes, 'gzip', nodeUnpackers), { memory: MEMORY }),
);

/** A file that unpacks as it is read is also a piece of its unpacked size. */
const zstdPiece: Target = async (bytes) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const unpacking = plainUnpackers.zstd(memoryFile(bytes).open(), 'test', MEMORY);
  for (let next = await unpacking.next(); !next.done; next = await unpacking.next()) {
    chunks.push(next.value.slice());
    size += next.value.length;
    if (size > NUMBERS) return void (await unpacking.return?.());
  }
  const piece = await plainUnpackers.zstdPiece(bytes, size);
  if (!Buffer.concat(chunks).equals(piece)) throw new Error('a file and a piece unpack differently');
};

export const TARGETS = {
  csv: both(blob('data.csv'), csvWindows),
  gzip: both(blob('data.csv.gz'), unzipped),
  zstd: both(blob('data.csv.zst'), zstdPiece),
  json: both(blob('data.json'), jsonWindows(false)),
  ndjson: both(blob('data.ndjson'), jsonWindows(true)),
  npy: blob('data.npy'),
  npz: blob('data.npz'),
  idx: blob('data.idx'),
  arrow: blob('data.arrow'),
  parquet: page('data.parquet'),
  model,
  moments,
  checkpoint,
  scree,
} satisfies Record<string, Target>;

export type Format = keyof typeof TARGETS;
