import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block } from '@scree/core';
import { type DataFile, type FileOptions, openFile } from 'scree';
import { afterAll, beforeAll } from 'vitest';

/** A folder for the tests of a file; removed afterwards. */
export function useFolder(): { readonly path: string; file(name: string): string } {
  const folder = { path: '', file: (name: string): string => join(folder.path, name) };
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'scree-files-'));
  });
  afterAll(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}

/** All rows of a file as plain arrays. */
export async function readAll(path: string, options: FileOptions = {}): Promise<{ rows: number[][]; file: DataFile }> {
  const file = await openFile(path, options);
  try {
    return { rows: await rowsOf(file), file };
  } finally {
    await file.close();
  }
}

export async function rowsOf(file: DataFile): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of file.source.blocks()) rows.push(...blockRows(block));
  return rows;
}

export function blockRows(block: Block): number[][] {
  return Array.from({ length: block.rows }, (_, i) => {
    if (block.kind === 'dense') {
      const row = block.data.subarray(i * block.stride, i * block.stride + block.cols);
      return Array.from(row, (value) => (block.half ? halfOf(value) : value));
    }
    const row = new Array<number>(block.cols).fill(0);
    for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) row[block.indices[at]] = block.data[at];
    return row;
  });
}

function halfOf(bits: number): number {
  const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

const found = new Map<string, string | undefined>();

/** A Python that has these modules: SCREE_PYTHON, that of the benchmark, or the system's. Undefined, and said aloud, when there is none. */
export function pythonWith(...modules: string[]): string | undefined {
  const key = modules.join();
  if (!found.has(key)) {
    const venv = fileURLToPath(new URL('../../../../bench/.venv/bin/python', import.meta.url));
    const candidates = [process.env.SCREE_PYTHON, existsSync(venv) ? venv : undefined, 'python3', 'python'];
    found.set(
      key,
      candidates.find((candidate) => candidate !== undefined && works(candidate, modules)),
    );
    if (found.get(key) === undefined)
      process.stderr.write(`SKIPPED: no Python with ${modules.join(', ')} for these tests\n`);
  }
  return found.get(key);
}

function works(python: string, modules: readonly string[]): boolean {
  try {
    execFileSync(python, ['-c', modules.map((name) => `import ${name}`).join('\n')], {
      stdio: 'ignore',
      timeout: 60_000,
    });
    return true;
  } catch {
    return false;
  }
}

/** Runs Python and returns what it prints, as JSON. */
export function runPython(python: string, program: string, ...parameters: string[]): unknown {
  const printed = execFileSync(python, ['-c', program, ...parameters], { encoding: 'utf8', maxBuffer: 64 << 20 });
  return printed.trim() === '' ? undefined : JSON.parse(printed);
}

/** A .npy file of version 1 with any header text, for files that lie. */
export function npyBytes(header: string, data: Uint8Array, version = 1, length = header.length): Buffer {
  const size = version === 1 ? 2 : 4;
  const start = Buffer.alloc(8 + size);
  start.write('\x93NUMPY', 0, 'latin1');
  start[6] = version;
  if (size === 2) start.writeUInt16LE(length & 0xffff, 8);
  else start.writeUInt32LE(length, 8);
  return Buffer.concat([start, Buffer.from(header, version === 3 ? 'utf8' : 'latin1'), data]);
}

export function npyHeader(descr: string, shape: readonly number[], fortran = false): string {
  const list = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  return `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${list}), }\n`;
}

/** A generator that gives the same numbers every time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
