import { readFile, writeFile } from 'node:fs/promises';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ScreeError } from '@scree/core';
import fc from 'fast-check';
import { compressFile, FileError, openCompressed, pca, type Quantiser } from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { packLines } from '../../src/compress/integers.js';
import { useFolder } from '../disk/support.js';
import { correlated, decodeAll, sourceOf } from './support.js';

const folder = useFolder();
const MODES: readonly Quantiser[] = ['uniform', 'int8', 'float16'];
const sound = new Map<Quantiser, { bytes: Buffer; values: number[] }>();

beforeAll(async () => {
  const matrix = { rows: 80, cols: 6, data: correlated(80, 6, 3) };
  const model = await pca(matrix, { k: 3 });
  for (const quantise of MODES) {
    const path = folder.file(`${quantise}.scree`);
    await compressFile({ source: sourceOf(matrix), model, path, quantise });
    const file = await openCompressed(path);
    sound.set(quantise, { bytes: await readFile(path), values: (await decodeAll(file)).values });
    await file.close();
  }
});

const START = 12;
const TAIL = 12;

/** The sections of a file: header, model, blocks, list. */
function sections(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = START; at < bytes.length - TAIL; ) {
    const length = bytes.readUInt32LE(at);
    found.push(Buffer.from(bytes.subarray(at + 8, at + 8 + length)));
    at += 8 + length;
  }
  return found;
}

/** A file of sections, with checksums, list and ends that fit together. */
function assemble(parts: readonly Buffer[], { fixList = true } = {}): Buffer {
  const list = Buffer.from(parts[parts.length - 1]);
  if (fixList) {
    parts.slice(2, -1).forEach((block, i) => {
      list.writeUInt32LE(block.length, 24 + 8 * i + 4);
    });
  }
  const start = Buffer.alloc(START);
  start.write('SCREEZIP', 'latin1');
  start.writeUInt32LE(1, 8);
  const tail = Buffer.alloc(TAIL);
  tail.writeUInt32LE(list.length);
  tail.write('SCREEEND', 4, 'latin1');
  const wrapped = [...parts.slice(0, -1), list].map((part) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(part.length);
    head.writeUInt32LE(crc32(part), 4);
    return Buffer.concat([head, part]);
  });
  return Buffer.concat([start, ...wrapped, tail]);
}

const headerOf = (part: Buffer): Record<string, unknown> => JSON.parse(inflateRawSync(part).toString());
const packed = (header: object): Buffer => deflateRawSync(JSON.stringify(header));

let count = 0;
/** Reads a file. Returns its values or an error, which must be a `ScreeError`. */
async function read(bytes: Uint8Array): Promise<number[] | ScreeError> {
  const path = folder.file(`hostile${count++ % 8}.scree`);
  await writeFile(path, bytes);
  try {
    const file = await openCompressed(path);
    try {
      return (await decodeAll(file)).values;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileError) {
      expect(error.message).not.toMatch(/\[object/);
      return error;
    }
    throw error;
  }
}

async function refused(bytes: Uint8Array): Promise<string> {
  const outcome = await read(bytes);
  expect(outcome).toBeInstanceOf(FileError);
  return (outcome as ScreeError).code;
}

const take = (quantise: Quantiser = 'uniform') => sound.get(quantise) as { bytes: Buffer; values: number[] };

describe('a compressed file that is incomplete', () => {
  it('is rejected when it is opened, wherever it was cut', async () => {
    const { bytes } = take();
    for (let length = 0; length < bytes.length; length += length < 40 || length > bytes.length - 40 ? 1 : 97) {
      expect(await refused(bytes.subarray(0, length))).toMatch(/FILE_TRUNCATED/);
    }
  });

  it('or has extra bytes at the end is rejected', async () => {
    expect(await refused(Buffer.concat([take().bytes, Buffer.from('more')]))).toBe('FILE_TRUNCATED');
  });

  it('is distinguished from files of other formats', async () => {
    expect(await refused(Buffer.from('SCREEPCA and so on, which is a model'))).toBe('BAD_FILE');
    expect(await refused(Buffer.from('x'))).toBe('BAD_FILE');
    await expect(openCompressed(folder.path)).rejects.toMatchObject({ code: 'BAD_FILE' });
    await expect(openCompressed(folder.file('nowhere'))).rejects.toMatchObject({ code: 'NO_FILE' });
    const newer = Buffer.from(take().bytes);
    newer.writeUInt32LE(2, 8);
    expect(await read(newer)).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(/version 2; this scree reads up to version 1.*Update scree/),
    });
    newer.writeUInt32LE(0, 8);
    expect(await refused(newer)).toBe('BAD_FILE');
  });
});

describe('a compressed file that was changed', () => {
  it.each(MODES)('in any byte is rejected, or gives the same rows (%s)', async (quantise) => {
    const { bytes, values } = take(quantise);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const copy = Buffer.from(bytes);
          for (const [at, flip] of changes) copy[at] ^= flip;
          const outcome = await read(copy);
          if (Array.isArray(outcome)) expect(outcome).toEqual(values);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each(MODES)('and given new checksums is rejected, or gives numbers without NaN (%s)', async (quantise) => {
    const parts = sections(take(quantise).bytes);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(parts.length - 1),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -9, max: 9 }),
        async (which, changes, longer) => {
          const copy = parts.map((part) => Buffer.from(part));
          for (const [at, value] of changes) copy[which][at % copy[which].length] = value;
          if (longer < 0) copy[which] = copy[which].subarray(0, Math.max(0, copy[which].length + longer));
          if (longer > 5) copy[which] = Buffer.concat([copy[which], Buffer.alloc(longer)]);
          if (copy.at(-1)!.length < 32) return;
          const outcome = await read(assemble(copy));
          if (!Array.isArray(outcome)) return;
          expect(outcome).toHaveLength(480);
          expect(outcome.some(Number.isNaN)).toBe(false);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('and has random bytes between its ends is rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (middle) => {
        const { bytes } = take();
        expect(await refused(Buffer.concat([bytes.subarray(0, START), middle, bytes.subarray(-TAIL)]))).toMatch(
          /BAD_FILE|FILE_TRUNCATED/,
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a forged compressed file', () => {
  const withHeader = (change: object): Buffer => {
    const [header, ...rest] = sections(take().bytes);
    return assemble([packed({ ...headerOf(header), ...change }), ...rest]);
  };

  it.each([
    [{ cols: 1e9 }],
    [{ cols: 1e9, k: 1e9 }],
    [{ cols: 2 ** 40, k: 2 ** 12 }],
    [{ k: 7 }],
    [{ k: 0 }],
    [{ k: 2 }],
    [{ cols: 5 }],
    [{ cols: -1 }],
    [{ cols: '6' }],
    [{ dtype: 'int64' }],
    [{ dtype: 'float32' }],
    [{ dtype: '__proto__' }],
    [{ quantise: 'int8' }],
    [{ step: 0 }],
    [{ step: null }],
    [{ columnNames: ['a'] }],
    [{ columnNames: 'abcdef' }],
    [{ model: null }],
    [{ model: {} }],
    [{ format: 'other' }],
  ])('is rejected with a false header (%j)', async (change) => {
    expect(await refused(withHeader(change))).toBe('BAD_FILE');
  });

  it('is rejected with a false list of blocks', async () => {
    const parts = sections(take().bytes);
    const list = parts.at(-1) as Buffer;
    const lying = (change: (list: Buffer) => void): Buffer => {
      const copy = Buffer.from(list);
      change(copy);
      return assemble([...parts.slice(0, -1), copy], { fixList: false });
    };
    expect(await refused(lying((l) => l.writeUInt32LE(0xffffffff, 24)))).toBe('BAD_FILE');
    expect(await refused(lying((l) => l.writeUInt32LE(0, 24)))).toBe('BAD_FILE');
    expect(await refused(lying((l) => l.writeUInt32LE(0xffffffff, 28)))).toBe('BAD_FILE');
    expect(await refused(lying((l) => l.writeDoubleLE(1e15, 0)))).toBe('BAD_FILE');
    expect(await refused(lying((l) => l.writeDoubleLE(Number.NaN, 8)))).toBe('BAD_FILE');
    expect(
      await refused(
        lying((l) => {
          l.writeUInt32LE(81, 24);
          l.writeDoubleLE(81, 0);
        }),
      ),
    ).toBe('BAD_FILE');
  });

  it('does not take memory for data that unpack to far more than they should', async () => {
    const zeros = deflateRawSync(Buffer.alloc(200e6));
    const [header, model, , list] = sections(take().bytes);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(zeros.length);
    const bomb = Buffer.concat([length, zeros, zeros]);
    const before = process.memoryUsage().rss;
    expect(await refused(assemble([header, model, bomb, list]))).toBe('BAD_FILE');
    expect(await refused(assemble([header, Buffer.concat([model.subarray(0, 96 + 12), bomb]), bomb, list]))).toBe(
      'BAD_FILE',
    );
    const huge = deflateRawSync(Buffer.alloc(200e6, ' '));
    expect(await refused(assemble([huge, model, bomb, list]))).toBe('BAD_FILE');
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
  });

  it('is rejected with components that are missing or not orthonormal', async () => {
    const parts = sections(take().bytes);
    const [k, d] = [3, 6];
    const fixed = 16 * k + 8 * d + 4 * d + 4 * k;
    for (const value of [0, 1, 1e6]) {
      const values = new Float64Array(k * d).fill(value);
      const components = await packLines({ values, lines: k, length: d, signed: true }, true);
      const model = Buffer.concat([parts[1].subarray(0, fixed), components]);
      expect(await refused(assemble([parts[0], model, ...parts.slice(2)]))).toBe('BAD_FILE');
    }
  });
});
